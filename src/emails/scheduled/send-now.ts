import type { CallerCtx } from "../../context.ts";
import { requireSendingAllowed } from "../send/index.ts";
import { changeScheduled } from "./change-scheduled.ts";
import type { StatusOut } from "./schema.ts";

/**
 * Queues a scheduled email at once. Throws 404 when the email is not scheduled, 403 when the account may not send.
 * Preflight checks the sender, as it does at any release.
 */
export async function sendNow(ctx: CallerCtx, id: string): Promise<StatusOut> {
  requireSendingAllowed(ctx);
  const at = ctx.now();
  await changeScheduled(ctx, id, {
    set: "status = 'queued', due_at = ?3",
    outboxChange: "UPDATE outbox SET due_at = ?3 WHERE",
    at,
    event: { id: ctx.newId(), type: "queued", at, metadata: { send_now: true } },
  });
  await ctx.wake([{ dueAt: at, id, kind: "deliver" }]);
  return { id, status: "queued" };
}
