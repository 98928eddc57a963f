import { WORKSPACE_COLUMNS_SQL, type WorkspaceColumns } from "../../access/accounts/authenticate.ts";
import { parseAddress } from "../../lib/addresses.ts";
import type { Ctx } from "../../platform/context.ts";

// The mailbox belongs to the workspace that verified its domain. The oldest owner of that workspace is the user of the email.
const FIND_SENDER = `
  SELECT ${WORKSPACE_COLUMNS_SQL}, o.user_id
    FROM mailboxes m
    JOIN domains d ON d.id = m.domain_id AND d.workspace = m.workspace AND d.status = 'verified' AND NOT d.is_sandbox
    JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
    JOIN memberships o ON o.workspace = w.number AND o.role = 'owner'
   WHERE m.address = ?1 AND m.is_active = 1 ORDER BY o.created_at LIMIT 1`;

export type SenderRow = WorkspaceColumns & { user_id: string };

/** State of SYSTEM_MAILBOX. `configured`: it is an address that may send, so the service can send its own emails. */
export type SystemMail = "configured" | "not_configured" | "malformed" | "no_mailbox";

/** Returns the mailbox of the service's own emails with its workspace, or why there is none. */
export async function findSender({
  db,
  settings,
}: Ctx): Promise<{ mailbox: string; row: SenderRow } | Exclude<SystemMail, "configured">> {
  if (settings.systemMailbox === "") return "not_configured";
  const mailbox = parseAddress(settings.systemMailbox);
  if (!mailbox) return "malformed";
  const row = await db.findRow<SenderRow>(FIND_SENDER, mailbox.key);
  return row ? { mailbox: mailbox.address, row } : "no_mailbox";
}

/** Returns whether the service can send its own emails, and otherwise what its SYSTEM_MAILBOX lacks. */
export async function readSystemMail(ctx: Ctx): Promise<SystemMail> {
  const sender = await findSender(ctx);
  return typeof sender === "string" ? sender : "configured";
}
