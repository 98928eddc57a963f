import { afterResponse } from "../after-response.ts";
import type { MailCtx, WorkspaceCtx } from "../context.ts";

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
    await ctx.env.AUTOMATIONS.sendBatch([{ body, ...(delaySeconds > 0 ? { delaySeconds } : {}) }]);
  } catch (error) {
    ctx.log("automations.wake.failed", { shard: ctx.shard, error: String(error) });
  }
}

/** Sends the message when one of these results stored an event. The response of a request does not wait for it. */
export async function wakeForEvents(
  ctx: Pick<MailCtx, "env" | "shard" | "log" | "now"> & Pick<WorkspaceCtx, "waitUntil">,
  results: readonly D1Result[],
): Promise<void> {
  if (results.some(({ meta }) => meta.changes > 0)) await wakeForNewEvents(ctx);
}

/** Messages of this isolate about one mail database. Times in milliseconds since 1970. */
interface Sent {
  at: number;
  /** When the last one that was delayed arrives, at the earliest. */
  delayedUntil: number;
}

const sentBy = new WeakMap<object, Map<number, Sent>>();
/** Within this time after a message, one more is sent, delayed so long. */
const INTERVAL_MS = 1_000;
/** A queue may deliver a delayed message a little early. */
const MARGIN_MS = 100;

/** Sends the message for stored events, at most two a second: one at once, and one after the others. No response waits for it. */
export async function wakeForNewEvents(
  ctx: Pick<MailCtx, "env" | "shard" | "log" | "now"> & Pick<WorkspaceCtx, "waitUntil">,
): Promise<void> {
  const delaySeconds = delayOf(ctx);
  if (delaySeconds === null) return;
  await afterResponse(ctx, wakeAutomations(ctx, delaySeconds));
}

/** Returns the delay of the next message; null when one that was sent already arrives after now. */
function delayOf({ env, shard, now }: Pick<MailCtx, "env" | "shard" | "now">): number | null {
  const byShard = sentBy.get(env.AUTOMATIONS) ?? new Map<number, Sent>();
  sentBy.set(env.AUTOMATIONS, byShard);
  const time = now();
  const { at, delayedUntil } = byShard.get(shard) ?? { at: 0, delayedUntil: 0 };
  if (delayedUntil > time && delayedUntil <= time + INTERVAL_MS) return null;
  const isSoon = time >= at && time - at < INTERVAL_MS;
  byShard.set(shard, isSoon ? { at, delayedUntil: time + INTERVAL_MS - MARGIN_MS } : { at: time, delayedUntil: 0 });
  return isSoon ? INTERVAL_MS / 1_000 : 0;
}

/** Returns whether the body of a queue message is one of these. */
export function isAutomationsMessage(body: unknown): body is AutomationsMessage {
  const { type, shard } = (body ?? {}) as Partial<AutomationsMessage>;
  return type === "automations.wake.v1" && typeof shard === "number";
}
