import type { OutboxCtx, WorkspaceCtx } from "../context.ts";
import type { WakeUp } from "./wake.ts";
import { wakeRepeatedly } from "./wake-repeatedly.ts";

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
