import { waitByChance } from "../../lib/repeat.ts";
import type { OutboxCtx, WakeUp, WorkspaceCtx } from "../context.ts";

/**
 * Sends the queue message that names due rows of this outbox, without making the response of a request wait for the queue: the rows
 * are stored already. A message that the queue refuses is then sent again. Outside of requests it waits for the queue, once.
 */
export async function wakeAfterResponse(
  ctx: Pick<OutboxCtx, "wake"> & Pick<WorkspaceCtx, "waitUntil">,
  rows: readonly WakeUp[],
): Promise<void> {
  if (ctx.waitUntil) ctx.waitUntil(wakeRepeatedly(ctx, rows));
  else await ctx.wake(rows);
}

/** Waits before a message that the queue refused is sent again, in milliseconds. */
const WAITS_MS = [100, 400];

/**
 * Sends queue messages for rows that are due, and sends them again when the queue refuses them: their emails would wait for the
 * sweep, up to a minute. It may take a second, so it is for work after a response.
 */
async function wakeRepeatedly(ctx: Pick<OutboxCtx, "wake">, rows: readonly WakeUp[]): Promise<void> {
  for (const wait of WAITS_MS) {
    if (await ctx.wake(rows)) return;
    await waitByChance(wait);
  }
  await ctx.wake(rows);
}
