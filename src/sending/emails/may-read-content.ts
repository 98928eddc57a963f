import type { CallerCtx } from "../../access/caller.ts";
import type { DetailRow } from "./queries.ts";

/** Returns whether the caller may open a mailbox by its role or an assignment. Makes one D1 call for a member, else none. */
export const mayOpen = async ({ actor, db }: CallerCtx, mailboxId: string | null): Promise<boolean> =>
  actor.role !== "member" || (await db.findRow(IS_ASSIGNED, mailboxId, actor.userId)) !== null;

const IS_ASSIGNED = "SELECT 1 FROM mailbox_assignees WHERE mailbox_id = ?1 AND user_id = ?2";

/**
 * Returns whether the caller may read the content of an email. What a person wrote in a mailbox is read by those who may open the
 * mailbox: owners, admins and assigned members, with a credential that has `inbox:read`. Makes one D1 call for such an email and a
 * member, else none.
 */
export async function mayReadContent(
  ctx: CallerCtx,
  { source, mailboxId }: Pick<DetailRow, "source" | "mailboxId">,
): Promise<boolean> {
  if (source !== "inbox") return true;
  return ctx.actor.scopes.has("inbox:read") && mayOpen(ctx, mailboxId);
}
