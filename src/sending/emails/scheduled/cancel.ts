import type { CallerCtx } from "../../../access/caller.ts";
import { changeScheduled } from "./change-scheduled.ts";
import type { StatusOut } from "./schema.ts";

/** Cancels a scheduled email. Throws 404 when the email is not scheduled. */
export async function cancelEmail(ctx: CallerCtx, emailId: string): Promise<StatusOut> {
  const id = emailId.toLowerCase();
  const at = ctx.now();
  await changeScheduled(ctx, id, {
    action: "cancelled",
    set: "status = 'cancelled', content = CASE WHEN content_key IS NULL THEN content END",
    dueAt: null,
    event: { id: ctx.newId(), type: "cancelled", at },
  });
  return { id, status: "cancelled" };
}
