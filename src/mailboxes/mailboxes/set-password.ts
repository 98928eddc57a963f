import type { CallerCtx } from "../../access/caller.ts";
import { passwordOwner, setPasswordStatements } from "../../access/mailbox-sessions/sessions.ts";
import { forbidden } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { checkAccess } from "../mailbox-store/index.ts";
import { getMailbox } from "./queries.ts";
import { missingForPassword } from "./rights.ts";
import { type MailboxOut, toMailbox } from "./schema.ts";
import { tellAssignees } from "./tell-assignees.ts";

/**
 * Sets the password of a mailbox for webmail. Its sessions end, and its app passwords are deleted. The password ends with the API key that
 * set it, and one that was set by an assigned member ends with the assignment. Throws 404, and 403 (docs/contract/mailboxes.md#passwords).
 */
export async function setMailboxPassword(ctx: CallerCtx, id: string, password: string): Promise<MailboxOut> {
  const row = await getMailbox(ctx, id);
  const mailbox = toMailbox(row);
  const missing = missingForPassword(ctx.actor, mailbox.assignee_ids);
  if (missing !== null) throw forbidden(`Missing scope: ${missing}`);
  await ctx.db.batch([
    ...(await setPasswordStatements(ctx, row.id, { password, ...passwordOwner(ctx) })),
    auditStatement(ctx, { action: "mailbox.password_changed", target: row.id, detail: {} }),
  ]);
  await checkAccess(ctx, row.id);
  await tellAssignees(ctx, row);
  return mailbox;
}
