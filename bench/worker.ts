/**
 * The Worker with metered bindings and control endpoints at `/bench/…`. Only the bench runs this module (bench/deployment.ts); no
 * deployment has the endpoints.
 */

import { seedWorkspace } from "../dev/seed-workspace.ts";
import worker from "../src/index.ts";
import { createContext } from "../src/platform/create-context.ts";
import { forEachShard, onShard } from "../src/platform/jobs/shards.ts";
import { sweep } from "../src/platform/outbox/sweep.ts";
import type { OutboxMessage } from "../src/platform/outbox/wake.ts";
import { asEvent, distant, remoteBindings } from "../test/support/distance/isolate.ts";
import { Meter, metered } from "../test/support/meter.ts";
import { Trace } from "../test/support/trace.ts";
import { baselineBatch, baselineSend } from "./baseline-routes.ts";
import { composeEndpoint } from "./compose-endpoint.ts";
import { mailboxMeter } from "./metered-mailbox.ts";

export { DomainTransferObject } from "../durable-objects/domain-transfer.ts";
export { RateLimiterObject } from "../durable-objects/rate-limiter.ts";
export { MailboxObject } from "./metered-mailbox.ts";

const meter = new Meter();
/** The binding calls of the last request with the header X-Bench-Trace. */
let lastTrace = new Trace();
/** True: queue messages are acknowledged and discarded, so that an accept is measured without its delivery. */
let isQueuePaused = false;
/** True: the next batch of queue messages that calls a binding is traced as a request with the header X-Bench-Trace is. */
let isRunTraced = false;

/**
 * The metered bindings of an isolate, at a distance when the host has one: its settings are parsed and checked once, as those of
 * the Worker are.
 */
const meteredBindings = new WeakMap<Env, Env>();
function countCalls(env: Env): Env {
  const counted = meteredBindings.get(env) ?? metered(distant(env), meter);
  meteredBindings.set(env, counted);
  return counted;
}

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/bench/")) return controlEndpoint(pathname.slice("/bench/".length), request, env, ctx);
    meter.add("requests");
    const trace = request.headers.has("X-Bench-Trace") ? new Trace() : null;
    if (trace) lastTrace = trace;
    const bindings = trace ? metered(distant(env), meter, trace) : countCalls(env);
    const response = await asEvent(() => worker.fetch?.(request, bindings, ctx));
    trace?.respond();
    return response ?? new Response(null, { status: 501 });
  },
  async queue(batch, env, ctx) {
    if (isQueuePaused) return;
    meter.add("requests");
    meter.add("queueOperations", 2 * batch.messages.length);
    const trace = isRunTraced ? new Trace() : null;
    const bindings = trace ? metered(distant(env), meter, trace) : countCalls(env);
    await asEvent(() => worker.queue?.(batch, bindings, ctx));
    // A message may be late: its rows are taken already.
    if (!trace || trace.read().calls.length === 0) return;
    isRunTraced = false;
    trace.respond();
    lastTrace = trace;
  },
  async scheduled(controller, env, ctx) {
    const bindings = countCalls(env);
    await asEvent(() => worker.scheduled?.(controller, bindings, ctx));
  },
} satisfies ExportedHandler<Env, OutboxMessage>;

async function controlEndpoint(name: string, request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  switch (name) {
    case "readings":
      return Response.json(meter.take());
    case "traffic":
      return Response.json(remoteBindings()?.take() ?? null);
    case "mailbox-rows":
      return Response.json(mailboxMeter.take());
    case "trace":
      return Response.json(lastTrace.read());
    case "sweep":
      await forEachShard(createContext(env, "bench"), sweep);
      return new Response();
    case "pause-queue":
      isQueuePaused = true;
      return new Response();
    case "resume-queue":
      isQueuePaused = false;
      return new Response();
    case "trace-run":
      isRunTraced = true;
      lastTrace = new Trace();
      return new Response();
    case "seed": {
      const { domain, shard } = await request.json<{ domain: string; shard: number }>();
      const input = { name: domain, email: `owner@${domain}`, domain, mailboxLocalPart: "hello", mailShard: shard };
      return Response.json(await seedWorkspace(createContext(env, "bench"), input));
    }
    case "sql": {
      const { sql, params, shard } = await request.json<{ sql: string; params: unknown[]; shard: number }>();
      const { results, meta } = await onShard(createContext(env, "bench"), shard)
        .mail.prepare(sql)
        .bind(...params)
        .all();
      return Response.json({ results, meta });
    }
    case "baseline-send":
      return baselineSend(request, countCalls(env), ctx);
    case "baseline-batch":
      return baselineBatch(request, countCalls(env), ctx);
    case "compose":
      return composeEndpoint(request);
    default:
      return new Response(null, { status: 404 });
  }
}
