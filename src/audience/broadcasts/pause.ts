import type { CallerCtx } from "../../access/caller.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { changeBroadcast, requireTransition } from "./change.ts";
import type { BroadcastOut } from "./schema.ts";

/**
 * Pauses a sending broadcast: emails that were not given to the egress yet wait. Pausing it again changes nothing. Throws 404,
 * and 409 in any other status (docs/contract/broadcasts.md#pause-and-cancel).
 */
export function pauseBroadcast(ctx: CallerCtx, id: string): Promise<BroadcastOut> {
  return changeBroadcast(ctx, id, (broadcast) => {
    requireTransition(broadcast, "pause");
    return broadcast.row.paused_at === null ? { changes: { paused_at: ctx.now() } } : null;
  });
}

/** Resumes a paused broadcast. Does nothing when it is not paused. Throws 404, and 409 when it is not sending. */
export async function resumeBroadcast(ctx: CallerCtx, id: string): Promise<BroadcastOut> {
  const response = await changeBroadcast(ctx, id, (broadcast) => {
    requireTransition(broadcast, "resume");
    return broadcast.row.paused_at === null ? null : { changes: { paused_at: null } };
  });
  await wakeAfterResponse(ctx, [{ dueAt: ctx.now(), id: ctx.newId(), kind: "bulk" }]);
  return response;
}
