/** The Worker of the tests, whose queue handler gets only the messages that the running file has asked for. */
import "../../dev/d1-limits.ts";
import worker from "../../src/index.ts";
import { counted, takeConsumed } from "./queues.ts";

export * from "../../src/index.ts";

/** Returns the context, which also counts as running what the Worker does after its response. */
const countedContext = (ctx: ExecutionContext): ExecutionContext =>
  new Proxy(ctx, {
    get: (target, name) =>
      name === "waitUntil"
        ? (task: Promise<unknown>) => target.waitUntil(counted(() => task))
        : Reflect.get(target, name, target),
  });

export default {
  ...worker,
  fetch: (request, env, ctx) =>
    counted(() => worker.fetch?.(request, env, countedContext(ctx)) ?? new Response(null, { status: 501 })),
  async queue(batch, env, ctx) {
    const messages = takeConsumed(batch);
    if (messages.length === 0) return;
    const { queue, metadata } = batch;
    const own = { queue, metadata, messages, ackAll: () => batch.ackAll(), retryAll: () => batch.retryAll() };
    await counted(() => worker.queue?.(own, env, countedContext(ctx)));
  },
} satisfies ExportedHandler<Env>;
