import type { MailCtx } from "../context.ts";

/** A queue message that starts a run of the due deliveries of a mail database. */
export interface WebhookMessage {
  type: "webhooks.wake.v1";
  shard: number;
}

/** Sends a queue message for due deliveries of the mail database. Never throws: a lost one delays them until the next cron run. */
export async function wakeWebhooks(ctx: Pick<MailCtx, "env" | "shard" | "log">, delaySeconds = 0): Promise<void> {
  const message: WebhookMessage = { type: "webhooks.wake.v1", shard: ctx.shard };
  try {
    await ctx.env.WEBHOOKS.send(message, delaySeconds > 0 ? { delaySeconds } : {});
  } catch (error) {
    ctx.log("webhooks.wake.failed", { shard: ctx.shard, error: String(error) });
  }
}

/** Sends the message when one of these results of statements that record events added a delivery. */
export async function wakeForResults(ctx: MailCtx, results: readonly D1Result[]): Promise<void> {
  if (results.some(({ meta }) => meta.changes > 0)) await wakeWebhooks(ctx);
}

/** Returns whether the body of a queue message is one of these. */
export function isWebhookMessage(body: unknown): body is WebhookMessage {
  const { type, shard } = (body ?? {}) as Partial<WebhookMessage>;
  return type === "webhooks.wake.v1" && typeof shard === "number";
}
