import { createContext } from "../../platform/create-context.ts";
import { onShard, shardNumbers } from "../../platform/jobs/shards.ts";
import { isWebhookMessage, wakeWebhooks } from "../../platform/webhook-events/wake.ts";
import { runWebhooks } from "./run.ts";

/**
 * Consumes the queue of webhooks: one run for each mail database that a message names. A run with slow requests keeps the
 * connections of this invocation, so the further databases get new messages. A message of an unknown format is retried alone
 * until it becomes a dead letter; those of a run that failed are retried too, and then cron starts the next.
 */
export async function consumeWebhooks(
  batch: MessageBatch,
  env: Env,
  execution: Pick<ExecutionContext, "waitUntil">,
): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const waitUntil = (work: Promise<unknown>) => execution.waitUntil(work);
  const known = batch.messages.filter(({ body }) => isWebhookMessage(body) && shardNumbers(ctx).includes(body.shard));
  for (const message of batch.messages) if (!known.includes(message)) message.retry();
  const messagesOf = Map.groupBy(known, ({ body }) => (body as { shard: number }).shard);
  let isInFlight = false;
  for (const [shard, messages] of messagesOf) {
    try {
      if (isInFlight) await wakeWebhooks(onShard(ctx, shard));
      else isInFlight = await runWebhooks({ ...onShard(ctx, shard), waitUntil });
      for (const message of messages) message.ack();
    } catch (error) {
      ctx.log("webhooks.failed", { shard, error: String(error) });
      for (const message of messages) message.retry();
    }
  }
}
