import type { CallerCtx } from "../../access/caller.ts";
import { bodyError, unprocessable } from "../../lib/errors.ts";
import { isUuid } from "../../lib/ids.ts";
import { auditWhereStatement } from "../../platform/audit/record.ts";
import { checkAccess } from "../mailbox-store/index.ts";
import { getMailbox } from "./queries.ts";
import { type AssigneesIn, type MailboxOut, toMailbox } from "./schema.ts";

const FIND_MEMBERS =
  "SELECT user_id FROM memberships WHERE workspace = ?1 AND user_id IN (SELECT value FROM json_each(?2))";

const DELETE_ASSIGNEES = `
  DELETE FROM mailbox_assignees WHERE mailbox_id IN (SELECT id FROM mailboxes WHERE id = ?1 AND workspace = ?2)`;

// Joins memberships and mailboxes again: either may have been deleted since it was read.
const INSERT_ASSIGNEES = `
  INSERT INTO mailbox_assignees (mailbox_id, user_id)
  SELECT b.id, m.user_id FROM mailboxes b JOIN memberships m ON m.workspace = b.workspace
   WHERE b.id = ?1 AND b.workspace = ?2 AND m.user_id IN (SELECT value FROM json_each(?3))`;

const NOT_A_MEMBER = "user_ids must contain ids of members of this workspace; this one is not";

const MAILBOX_EXISTS = "EXISTS (SELECT 1 FROM mailboxes WHERE id = ?10)";

/** Replaces the assignees of a mailbox. Throws 404, and 422 for each user who is not a member of the workspace. */
export async function assignMailbox(ctx: CallerCtx, id: string, { user_ids }: AssigneesIn): Promise<MailboxOut> {
  const mailbox = await getMailbox(ctx, id);
  const { number } = ctx.workspace;
  // Only UUIDs are bound: D1 accepts parameters of at most 2,000,000 bytes.
  const userIds = JSON.stringify([...new Set(user_ids.filter(isUuid))]);
  const results = await ctx.db.listRows<{ user_id: string }>(FIND_MEMBERS, number, userIds);
  const members = new Set(results.map(({ user_id }) => user_id));
  const errors = user_ids.flatMap((user, index) =>
    members.has(user) ? [] : [bodyError(["user_ids", index], NOT_A_MEMBER)],
  );
  if (errors.length > 0) throw unprocessable(errors);
  const detail = { address: mailbox.address, user_ids: [...members].sort() };
  await ctx.db.batch([
    auditWhereStatement(ctx, { action: "mailbox.assigned", target: mailbox.id, detail }, MAILBOX_EXISTS),
    ctx.db.prepare(DELETE_ASSIGNEES).bind(mailbox.id, number),
    ctx.db.prepare(INSERT_ASSIGNEES).bind(mailbox.id, number, userIds),
  ]);
  await checkAccess(ctx, mailbox.id);
  return toMailbox(await getMailbox(ctx, mailbox.id));
}
