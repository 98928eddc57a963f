import type { CallerCtx } from "../../context.ts";
import { requireSendingAllowed } from "../send/index.ts";
import { moveScheduled } from "./move.ts";
import type { MovedOut } from "./schema.ts";

/**
 * Sends a scheduled email at once. Throws 404 for one that is not scheduled (any more), 403 when the account may not
 * send. Whether the sender still may is looked at when it is dispatched, as at any release.
 */
export async function sendNow(ctx: CallerCtx, id: string): Promise<MovedOut> {
  requireSendingAllowed(ctx);
  const at = ctx.now();
  await moveScheduled(ctx, id, {
    set: "status = 'queued', due_at = ?3",
    outboxChange: "UPDATE outbox SET due_at = ?3 WHERE",
    at,
    event: { id: ctx.newId(), type: "queued", at, metadata: { send_now: true } },
  });
  await ctx.wake([{ dueAt: at, id, kind: "deliver" }]);
  return { id, status: "queued" };
}
