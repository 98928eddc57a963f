import type { CallerCtx } from "../../../access/caller.ts";
import { addressKey } from "../../../lib/addresses.ts";
import { notFound } from "../../../lib/errors.ts";
import { mailboxAddressesSql } from "../../../platform/db/mailbox-addresses.ts";
import { storeMailResponse } from "../../../platform/idempotency/responses.ts";
import { wakeAfterResponse } from "../../../platform/outbox/wake-after-response.ts";
import { getEmail } from "../queries.ts";
import { requireSendable, requireSendingAllowed } from "../send/index.ts";
import { changeScheduled } from "./change-scheduled.ts";
import type { StatusOut } from "./schema.ts";

// The sender rule (docs/contract/emails.md#sender-rule), as preflight checks it by the ids of the email.
const FIND_SENDER = `
  SELECT 1 FROM (${mailboxAddressesSql("?1", "(?4)")}) a
    JOIN mailboxes m ON m.id = a.mailbox_id AND m.is_active
    JOIN domains d ON d.id = a.domain_id AND d.workspace = m.workspace AND d.status = 'verified'
   WHERE m.id = ?2 AND d.id = ?3`;

/**
 * Queues a scheduled email at once. Throws 404 when the email is not scheduled, 403 when the account may not send, 422
 * when the sender may no longer send, ConcurrencyError or 404 when another call with the same Idempotency-Key was first.
 */
export async function sendNow(ctx: CallerCtx, emailId: string): Promise<StatusOut> {
  requireSendingAllowed(ctx, null);
  const id = emailId.toLowerCase();
  const at = ctx.now();
  const response: StatusOut = { id, status: "queued" };
  // Preflight checks the sender again, so a change right after this one still counts.
  await requireSender(ctx, id);
  await changeScheduled(ctx, id, {
    action: "sent now",
    set: "status = 'queued'",
    dueAt: at,
    event: { id: ctx.newId(), type: "queued", at, metadata: { send_now: true } },
    also: await storeMailResponse(ctx, response),
  });
  await wakeAfterResponse(ctx, [{ dueAt: at, id, kind: "deliver" }]);
  return response;
}

/** Throws 403 for a source that may not send, 422 for a scheduled email of a sender that may not, 404 for a replaced mailbox. */
async function requireSender(ctx: CallerCtx, id: string): Promise<void> {
  const row = await getEmail(ctx, id);
  if (row.status !== "scheduled") return;
  requireSendingAllowed(ctx, row.source);
  const key = addressKey(row.fromEmail);
  const isAllowed = await ctx.db.findRow(FIND_SENDER, ctx.workspace.number, row.mailboxId, row.domainId, key);
  if (isAllowed) return;
  const from = { email: row.fromEmail, key, name: row.fromName };
  const email = { from, recipients: [], subject: row.subject, tags: row.tags, sendAt: null };
  await requireSendable(ctx, { email, from, recipients: [], issues: [] }, { source: row.source, isRetry: false });
  throw notFound("Scheduled email");
}
