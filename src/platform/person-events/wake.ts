import type { Ctx, MailCtx, WorkspaceCtx } from "../context.ts";

/** A queue message that starts a run of the automations of a mail database. */
export interface AutomationsMessage {
  type: "automations.wake.v1";
  shard: number;
}

/**
 * Sends a queue message for the new events of the mail database of the context, delivered after `delaySeconds`. A lost message delays
 * them until the next cron run, so this never throws.
 */
export async function wakeAutomations(ctx: Pick<MailCtx, "env" | "shard" | "log">, delaySeconds = 0): Promise<void> {
  const body: AutomationsMessage = { type: "automations.wake.v1", shard: ctx.shard };
  try {
    await ctx.env.WORK.sendBatch([{ body, ...(delaySeconds > 0 ? { delaySeconds } : {}) }]);
  } catch (error) {
    ctx.log("automations.wake.failed", { shard: ctx.shard, error: String(error) });
  }
}

/**
 * Sends the message when one of these results of statements of this folder stored an event. The response of a request does not wait
 * for it.
 */
export async function wakeForEvents(
  ctx: Pick<MailCtx, "env" | "shard" | "log"> & Pick<WorkspaceCtx, "waitUntil">,
  results: readonly D1Result[],
): Promise<void> {
  if (results.some(({ meta }) => meta.changes > 0)) await wakeForNewEvents(ctx);
}

/** Sends the message for events that were stored. The response of a request does not wait for it. */
export async function wakeForNewEvents(
  ctx: Pick<MailCtx, "env" | "shard" | "log"> & Pick<WorkspaceCtx, "waitUntil">,
): Promise<void> {
  if (ctx.waitUntil) ctx.waitUntil(wakeAutomations(ctx));
  else await wakeAutomations(ctx);
}

/** Returns whether the body of a queue message is one of these. */
export function isAutomationsMessage(_: Ctx, body: unknown): body is AutomationsMessage {
  const { type, shard } = (body ?? {}) as Partial<AutomationsMessage>;
  return type === "automations.wake.v1" && typeof shard === "number";
}
