import type { OutboxCtx, WakeUp, WorkspaceCtx } from "../context.ts";
import { WakeUpGatherer } from "./gather-wake-ups.ts";
import { wakeRepeatedly } from "./wake-repeatedly.ts";

const gatherer = new WakeUpGatherer();

/**
 * Sends the queue message that names due rows of this outbox, without making the response of a request wait for the queue: the rows
 * are stored already. Requests at the same time share messages. A message that the queue refuses is then sent again. Outside of
 * requests it waits for the queue, once.
 */
export async function wakeAfterResponse(
  ctx: Pick<OutboxCtx, "env" | "outbox" | "wake"> & Pick<WorkspaceCtx, "waitUntil">,
  rows: readonly WakeUp[],
): Promise<void> {
  const { env, outbox } = ctx;
  if (ctx.waitUntil) ctx.waitUntil(gatherer.wake({ queue: env.WORK, outbox }, rows, (all) => wakeRepeatedly(ctx, all)));
  else await ctx.wake(rows);
}
