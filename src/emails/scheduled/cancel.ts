import type { CallerCtx } from "../../context.ts";
import { moveScheduled } from "./move.ts";
import type { MovedOut } from "./schema.ts";

/** Cancels a scheduled email: it is never sent. Throws 404 for one that is not scheduled (any more). */
export async function cancelEmail(ctx: CallerCtx, id: string): Promise<MovedOut> {
  const at = ctx.now();
  await moveScheduled(ctx, id, {
    set: "status = 'cancelled', due_at = NULL, content = NULL",
    outboxChange: "DELETE FROM outbox WHERE",
    at,
    event: { id: ctx.newId(), type: "cancelled", at },
  });
  return { id, status: "cancelled" };
}
