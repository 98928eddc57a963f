import { toCallerWorkspace, WORKSPACE_COLUMNS_SQL, type WorkspaceColumns } from "../../access/accounts/authenticate.ts";
import { type CallerCtx, requireScopes, systemActor } from "../../access/caller.ts";
import { forbidden, notFound, unprocessable } from "../../lib/errors.ts";
import { type Brand, brandSql, toBrand } from "../../platform/brands/brand.ts";
import { isPausedSource } from "../../platform/bulk-pauses/rules.ts";
import type { MailCtx } from "../../platform/context.ts";
import { findSenderOf } from "../../sending/emails/index.ts";

/** Throws 404 for a mailbox that the caller's credential does not see, 422 for one that may not send (docs/contract/emails.md#sender-rule). */
async function requireSender(ctx: CallerCtx, mailboxId: string): Promise<void> {
  const sender = await findSenderOf(ctx, mailboxId);
  if (!("error" in sender)) return;
  if (sender.error === "unknown") throw notFound("Mailbox");
  throw unprocessable([{ loc: ["body", "confirm_mailbox_id"], msg: sender.error, type: "sender_not_allowed" }]);
}

type ConfirmationFields = Partial<
  Record<"confirm_mailbox_id" | "confirm_subject" | "confirm_text", string | null | undefined>
>;

/**
 * Throws as `requireSender` for the mailbox of a change, and 403 for words by a caller that may not send, or whose key is restricted to
 * domains and would have them sent from a mailbox of another domain. `stored` returns the confirmation that the list has.
 */
export async function requireConfirmation(
  ctx: CallerCtx,
  change: ConfirmationFields,
  stored: () => Promise<ConfirmationFields>,
): Promise<void> {
  const { confirm_mailbox_id: mailboxId } = change;
  if (mailboxId) await requireSender(ctx, mailboxId);
  const hasWords = Boolean(change.confirm_subject ?? change.confirm_text);
  const { domainIds } = ctx.actor;
  if (hasWords) requireScopes(ctx.actor, "emails:send");
  // `requireSender` finds mailboxes of these domains only.
  if (!domainIds || mailboxId || (!hasWords && mailboxId === undefined)) return;
  const list = { ...(await stored()), ...change };
  if (!list.confirm_subject && !list.confirm_text) return;
  const sender = await findSenderOf(ctx, list.confirm_mailbox_id ?? "");
  if ("error" in sender && sender.error === "unknown")
    throw forbidden(
      "This API key is restricted to certain domains: confirm_mailbox_id must be a mailbox of one of them",
    );
}

// The mailbox of the list when it may send, else the oldest one of the workspace that may.
const FIND_SENDER = `
  SELECT ${WORKSPACE_COLUMNS_SQL}, ${brandSql("w")} AS brand, o.user_id, u.restricted_at,
         m.address, m.display_name,
         (SELECT h.name FROM custom_hosts h WHERE h.domain_id = d.id AND h.purpose = 'link' AND h.status = 'active') AS link_host
    FROM workspaces w
    JOIN memberships o ON o.workspace = w.number AND o.role = 'owner'
    JOIN users u ON u.id = o.user_id
    LEFT JOIN domains d ON d.workspace = w.number AND d.status = 'verified' AND NOT d.is_sandbox
    LEFT JOIN mailboxes m ON m.domain_id = d.id AND m.workspace = w.number AND m.is_active = 1 AND m.local_part <> '*'
   WHERE w.number = ?1 AND w.deleted_at IS NULL
   ORDER BY m.id IS NULL, m.id IS NOT ?2, m.created_at, m.id, o.created_at LIMIT 1`;

interface SenderRow extends WorkspaceColumns {
  user_id: string;
  restricted_at: number | null;
  address: string | null;
  display_name: string | null;
  link_host: string | null;
  brand: string | null;
}

/** Who sends the confirmation mails of a list: the workspace from one of its mailboxes, for its oldest owner. */
export interface ConfirmationSender {
  caller: CallerCtx;
  brand: Brand;
  address: string;
  name: string;
  /** Host of the domain for links; null: that of the service. */
  linkHost: string | null;
}

/** Returns the sender, `wait` while there is none or the workspace may not send, and null for a workspace that is deleted. */
export async function findConfirmationSender(
  ctx: MailCtx,
  workspace: number,
  mailboxId: string | null,
): Promise<ConfirmationSender | "wait" | null> {
  const row = await ctx.db.findRow<SenderRow>(FIND_SENDER, workspace, mailboxId);
  if (!row) return null;
  const isHeld =
    row.address === null ||
    row.restricted_at !== null ||
    row.sending_paused_at !== null ||
    isPausedSource(row.bulk_pause, "bulk");
  if (isHeld || row.address === null) return "wait";
  const found = toCallerWorkspace(row);
  const caller: CallerCtx = {
    ...ctx,
    actor: systemActor("confirmations", row.user_id, row.address),
    workspace: found,
    clientIp: null,
  };
  const brand = toBrand(row.workspace_name, row.brand);
  return { caller, brand, address: row.address, name: row.display_name ?? row.workspace_name, linkHost: row.link_host };
}
