import type { CallerCtx } from "../../context.ts";
import { repeatableBatch } from "../../db/batch.ts";
import { mailDb } from "../../db/client.ts";
import { jsonChunks } from "../../db/json-chunks.ts";
import { storeResponse } from "../../idempotency/index.ts";
import type { EventEntry, RecipientEntry } from "../timeline/index.ts";
import { changeStatement } from "../timeline/index.ts";

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
  contentOffset: number;
  contentSize: number;
  dueAt: number | null;
  /** Id of the outbox row it shares with others; null: a row of its own. */
  outboxId: string | null;
  scheduledAt: number | null;
  createdAt: number;
  rejectionReason: string | null;
  retryOfId: string | null;
  /** A small content document, to ride along until the mail is settled. */
  content: string | null;
}

const INSERT_EMAILS = `
  INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, user_id, from_email, from_name, message_id,
    subject, recipients, tags, events, content_key, content_offset, content_size, due_at, outbox_id, scheduled_at, created_at,
    rejection_reason, retry_of_id, content)
  SELECT ?1, value->>'id', value->>'status', value->>'source', value->>'domainId', value->>'mailboxId', value->>'userId',
    value->>'fromEmail', value->>'fromName', value->>'messageId', value->>'subject', value->>'recipients', value->>'tags',
    value->>'events', value->>'contentKey', value->>'contentOffset', value->>'contentSize', value->>'dueAt',
    value->>'outboxId', value->>'scheduledAt', value->>'createdAt', value->>'rejectionReason', value->>'retryOfId', value->>'content'
  FROM json_each(?2)`;

const INSERT_OUTBOX_ROWS = `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT due_at, coalesce(outbox_id, id), 'deliver', json_group_array(n) FROM emails
   WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2)) AND due_at IS NOT NULL
   GROUP BY due_at, coalesce(outbox_id, id)`;

// A large body may take longer than it takes to delete the workspace and all that is in it.
const REQUIRE_WORKSPACE = `SELECT CASE WHEN NOT EXISTS (
  SELECT 1 FROM workspaces WHERE number = ?1 AND deleted_at IS NULL) THEN json('the workspace is gone') END`;

/**
 * Writes emails with their first events, their work, their change row and the kept `answer` in one
 * transaction: what a 202 stands on. Safe to run twice with the same drafts: a second time finds the rows
 * there and changes nothing, so a doubtful failure is simply tried again. Throws LostRace when the caller's
 * Idempotency-Key was used by somebody else meanwhile, or the workspace was deleted; then nothing was written.
 */
export async function acceptEmails(ctx: CallerCtx, drafts: readonly Draft[], answer: unknown): Promise<void> {
  const workspace = ctx.workspace.number;
  const ids = JSON.stringify(drafts.map(({ id }) => id));
  const statements = [
    ctx.db.prepare(REQUIRE_WORKSPACE).bind(workspace),
    ...jsonChunks(drafts.map(toRow)).map((rows) => ctx.db.prepare(INSERT_EMAILS).bind(workspace, rows)),
    ctx.db.prepare(INSERT_OUTBOX_ROWS).bind(workspace, ids),
    changeStatement(ctx, workspace, ids),
    ...storeResponse(ctx, answer),
  ];
  await repeatableBatch(ctx, mailDb(ctx), statements);
}

function toRow(draft: Draft): string {
  return JSON.stringify({
    ...draft,
    recipients: JSON.stringify(draft.recipients),
    tags: draft.tags && JSON.stringify(draft.tags),
    events: JSON.stringify(draft.events),
  });
}
