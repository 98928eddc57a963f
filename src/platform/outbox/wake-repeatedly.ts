import { waitByChance } from "../../lib/repeat.ts";
import type { OutboxCtx, WakeUp } from "../context.ts";

/** Waits before a message that the queue refused is sent again, in milliseconds. */
const WAITS_MS = [100, 400];

/**
 * Sends queue messages for rows that are due, and sends them again when the queue refuses them: their emails would wait for the
 * sweep, up to a minute. It may take a second, so it is for work after a response.
 */
export async function wakeRepeatedly(ctx: Pick<OutboxCtx, "wake">, rows: readonly WakeUp[]): Promise<void> {
  for (const wait of WAITS_MS) {
    if (await ctx.wake(rows)) return;
    await waitByChance(wait);
  }
  await ctx.wake(rows);
}
