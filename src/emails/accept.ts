import type { CallerCtx } from "../context.ts";
import { guardedBatch, isUniqueViolation } from "../db/batch.ts";
import { mailDb } from "../db/client.ts";
import { changeStatement } from "./changes.ts";
import type { EventEntry, RecipientEntry } from "./state.ts";

/** An email about to be written, with every id minted. Times in milliseconds since 1970. */
export interface Draft {
  id: string;
  status: "queued" | "scheduled" | "rejected";
  source: string;
  domainId: string;
  mailboxId: string;
  userId: string | null;
  fromEmail: string;
  fromName: string | null;
  messageId: string;
  subject: string;
  recipients: RecipientEntry[];
  tags: string[] | null;
  events: EventEntry[];
  contentKey: string | null;
  contentAt: number;
  contentSize: number;
  dueAt: number | null;
  scheduledAt: number | null;
  createdAt: number;
  rejectionReason: string | null;
  retryOfId: string | null;
}

const INSERT_EMAILS = `
  INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, user_id, from_email, from_name, message_id,
    subject, recipients, tags, events, content_key, content_at, content_size, due_at, scheduled_at, created_at,
    rejection_reason, retry_of_id)
  SELECT ?1, value->>'id', value->>'status', value->>'source', value->>'domainId', value->>'mailboxId', value->>'userId',
    value->>'fromEmail', value->>'fromName', value->>'messageId', value->>'subject', value->>'recipients', value->>'tags',
    value->>'events', value->>'contentKey', value->>'contentAt', value->>'contentSize', value->>'dueAt',
    value->>'scheduledAt', value->>'createdAt', value->>'rejectionReason', value->>'retryOfId'
  FROM json_each(?2)`;

const INSERT_WORK = `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT due_at, id, 'deliver', json_array(n) FROM emails
   WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2)) AND due_at IS NOT NULL`;

/**
 * Writes emails with their first events, their work and their change row in one transaction: what a 202
 * stands on. Safe to run twice with the same drafts: the second time finds the rows there and changes nothing.
 */
export async function acceptEmails(ctx: CallerCtx, drafts: readonly Draft[]): Promise<void> {
  const workspace = ctx.workspace.number;
  const ids = JSON.stringify(drafts.map(({ id }) => id));
  const rows = JSON.stringify(
    drafts.map((draft) => ({
      ...draft,
      recipients: JSON.stringify(draft.recipients),
      tags: draft.tags && JSON.stringify(draft.tags),
      events: JSON.stringify(draft.events),
    })),
  );
  const statements = [
    ctx.db.prepare(INSERT_EMAILS).bind(workspace, rows),
    ctx.db.prepare(INSERT_WORK).bind(workspace, ids),
    changeStatement(ctx, workspace, ids),
  ];
  try {
    await guardedBatch(mailDb(ctx), statements);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
}
