/**
 * The Worker with metered bindings and control endpoints at `/bench/…`. Only bench/host/in-process.ts runs this module;
 * no deployment has the endpoints.
 */

import { seedWorkspace } from "../dev/seed-workspace.ts";
import worker from "../src/index.ts";
import { runForwards } from "../src/mailboxes/forwards/index.ts";
import { createContext } from "../src/platform/context.ts";
import { mailDb } from "../src/platform/db/client.ts";
import { forEachShard, onShard, shardNumbers, withLimits } from "../src/platform/jobs/shards.ts";
import { sweep } from "../src/platform/outbox/sweep.ts";
import type { OutboxMessage, WakeUp } from "../src/platform/outbox/wake.ts";
import { runDatabases } from "../src/run-outbox.ts";
import { newRunLimits } from "../src/sending/delivery/index.ts";
import { indexEmails } from "../src/sending/emails/index.ts";
import { startShardJob } from "../src/shard-jobs.ts";
import { baselineDelivery, prepareBaselineDelivery } from "./baseline-delivery.ts";
import { baselineImport } from "./baseline-import.ts";
import { baselineGet, baselinePut, baselineSplit } from "./baseline-objects.ts";
import { baselineBatch, baselineSend } from "./baseline-routes.ts";
import { baselineSending } from "./baseline-sending.ts";
import { composeEndpoint } from "./compose-endpoint.ts";
import { asEvent, distant, remoteBindings } from "./distance/isolate.ts";
import { Meter, metered } from "./meter.ts";
import { mailboxMeter } from "./metered-mailbox.ts";
import { prepareEndpoint } from "./prepare-endpoint.ts";
import { Trace } from "./trace.ts";

export { DomainTransferObject } from "../durable-objects/domain-transfer.ts";
export { RateLimiterObject } from "../durable-objects/rate-limiter.ts";
export { MailboxObject } from "./metered-mailbox.ts";

const UNLIMITED = 1_000_000;
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

const bench = {
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

export default bench;

/** The handler behind `Host.directUrl`. */
export const direct: ExportedHandler<Env> = { fetch: bench.fetch };

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
    case "tick": {
      const limits = newRunLimits();
      const counting = withLimits(createContext(countCalls(env), "bench"), limits);
      await startShardJob(counting, "sweep", limits, shardNumbers(counting).length);
      return new Response();
    }
    case "run":
      return deliverDue(await request.json<{ shards: number[] }>(), env);
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
      const { domain, shard } = await request.json<{ domain: string; shard?: number }>();
      const place = shard === undefined ? {} : { mailShard: shard };
      const input = { name: domain, email: `owner@${domain}`, domain, mailboxLocalPart: "hello", ...place };
      return Response.json(await seedWorkspace(createContext(env, "bench"), input));
    }
    case "sql": {
      const { sql, params, shard } = await request.json<{ sql: string; params: unknown[]; shard: number }>();
      const { results, meta } = await mailDb(onShard(createContext(env, "bench"), shard))
        .prepare(sql)
        .bind(...params)
        .all();
      return Response.json({ results, meta });
    }
    case "baseline-send":
      return baselineSend(request, countCalls(env), ctx);
    case "baseline-batch":
      return baselineBatch(request, countCalls(env), ctx);
    case "prepare-baseline-delivery":
      return prepareBaselineDelivery(request, env);
    case "baseline-delivery":
      return baselineDelivery(request, countCalls(env));
    case "baseline-sending":
      return baselineSending(request, env);
    case "baseline-import":
      return baselineImport(request, env);
    case "index":
      await forEachShard(createContext(countCalls(env), "bench"), indexEmails);
      return new Response();
    case "compose":
      return composeEndpoint(request);
    case "prepare":
      return prepareEndpoint(request, env);
    case "baseline-put":
      return baselinePut(request, env);
    case "baseline-get":
      return baselineGet(request, env);
    case "baseline-split":
      return baselineSplit(request, env);
    case "forward":
      return forwardOne(env);
    case "put":
      return putEndpoint(request, env);
    default:
      return new Response(null, { status: 404 });
  }
}

/** Delivers all due emails of some mail databases in one run without limits. */
async function deliverDue({ shards }: { shards: number[] }, env: Env): Promise<Response> {
  const ctx = createContext(countCalls(env), "bench");
  const limits = { emails: UNLIMITED, statements: UNLIMITED, objectReads: UNLIMITED };
  const work = shards.map(async (shard) => {
    const { results } = await onShard(createContext(env, "bench"), shard)
      .outbox.prepare("SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'deliver'")
      .all<WakeUp>();
    return { database: shard, rows: results };
  });
  await runDatabases(ctx, await Promise.all(work), limits, () => {});
  return new Response();
}

/** Makes the oldest forward of the first mail database. */
async function forwardOne(env: Env): Promise<Response> {
  const ctx = onShard(createContext(env, "bench"), 0);
  const { results } = await ctx.outbox
    .prepare("SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'forward' ORDER BY due_at LIMIT 1")
    .all<WakeUp>();
  await runForwards(ctx, results);
  return Response.json({ forwards: results.length });
}

/** Uploads `bytes` bytes to R2 in the same parts as a large email. */
async function putEndpoint(request: Request, env: Env): Promise<Response> {
  const { bytes } = await request.json<{ bytes: number }>();
  const upload = await env.CONTENT.createMultipartUpload(`put/${crypto.randomUUID()}`);
  const part = new Uint8Array(5 * 1024 * 1024).fill(0x5a);
  const parts: R2UploadedPart[] = [];
  for (let rest = bytes; rest > 0; rest -= part.byteLength) {
    parts.push(await upload.uploadPart(parts.length + 1, part.subarray(0, Math.min(rest, part.byteLength))));
  }
  await upload.complete(parts);
  return new Response();
}
