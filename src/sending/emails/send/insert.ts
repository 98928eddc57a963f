import type { CallerCtx } from "../../../access/caller.ts";
import { utf8Length } from "../../../lib/bytes.ts";
import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { repeatableBatch } from "../../../platform/db/batch.ts";
import { jsonChunks } from "../../../platform/db/json-chunks.ts";
import { requireOpenStatement } from "../../../platform/db/shard-workspaces.ts";
import { storeMailResponse } from "../../../platform/idempotency/responses.ts";
import { countEmailsStatements } from "../../../platform/rate-limits/daily-emails.ts";
import { recordEventsStatements } from "../../../platform/webhook-events/record.ts";
import { toWebhookEvents } from "../../../platform/webhook-events/rules.ts";
import { wakeWebhooks } from "../../../platform/webhook-events/wake.ts";
import { contentPadding } from "../content/index.ts";
import { shortenMessageId } from "../message-id.ts";
import { changeStatement, shortenEvents } from "../timeline/index.ts";
import type { NewEmail } from "./new-email.ts";

// Without the materialized table SQLite writes the JSON of a row again for each of its columns: twice the time.
const INSERT_EMAILS = `
  INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, user_id, from_email, from_name, message_id,
    subject, recipients, tags, events, content_key, content_offset, content_size, outbox_id, scheduled_at, created_at,
    rejection_reason, retry_of_id, content, broadcast, variant, contact, variables, request_id, topic)
  WITH rows AS MATERIALIZED (SELECT value AS row FROM json_each(?2))
  SELECT ?1, row->>'id', row->>'status', row->>'source', row->>'domainId', row->>'mailboxId', row->>'userId',
    row->>'fromEmail', row->>'fromName', row->>'messageId', row->>'subject', row->>'recipients', row->>'tags',
    row->>'events', row->>'contentKey', row->>'contentOffset', row->>'contentSize',
    row->>'outboxId', row->>'scheduledAt', row->>'createdAt', row->>'rejectionReason', row->>'retryOfId',
    (row->'content') || printf('%*s', row->>'padding', ''),
    row->>'$.personal.broadcast', row->>'$.personal.variant', row->>'$.personal.contact', row->>'$.personal.variables',
    row->>'requestId', row->>'topic'
  FROM rows`;

// Emails of a broadcast have rows of its turn.
const INSERT_OUTBOX_ROWS = `
  INSERT INTO outbox (id, due_at, kind, ref, broadcast, workspace)
  SELECT coalesce(e.outbox_id, e.id), j.value->>'dueAt', iif(e.broadcast IS NULL, 'deliver', 'bulk'), json_group_array(e.n), e.broadcast, ?1
    FROM json_each(?2) j CROSS JOIN emails e ON e.workspace = ?1 AND e.id = j.value->>'id'
   GROUP BY coalesce(e.outbox_id, e.id)`;

/**
 * Inserts emails with their first events, their outbox rows, one change row and the idempotency row with `response`,
 * in one transaction. The 202 is returned after it commits. Running it again with the same emails changes nothing, so an
 * ambiguous failure is retried. Throws ConcurrencyError when another call used the caller's Idempotency-Key meanwhile,
 * or the workspace was deleted, and RefusedBatchError beyond its daily limit; nothing is written then.
 */
export async function insertEmails(
  ctx: CallerCtx,
  emails: readonly NewEmail[],
  response: unknown,
  extra: readonly MailStatement[],
): Promise<void> {
  const workspace = ctx.workspace.number;
  const db = ctx.mail;
  const ids = JSON.stringify(emails.map(({ id }) => id));
  const rejected = emails.flatMap((email) => toWebhookEvents(null, { ...email, workspace }, email.events));
  const webhooks = recordEventsStatements(ctx, rejected);
  const statements = [
    // Reading a large body can take longer than the deletion of the workspace and all its rows.
    requireOpenStatement(ctx, ctx.workspace),
    ...insertEmailStatements(ctx, workspace, emails),
    changeStatement(ctx, workspace, ids),
    ...extra,
    ...(await storeMailResponse(ctx, response)),
    ...webhooks,
    ...countEmailsStatements(ctx, ctx.workspace, emails.length),
  ];
  await repeatableBatch(ctx, db, statements);
  if (webhooks.length > 0) await wakeWebhooks(ctx);
}

/** Returns the statements that insert the rows of emails, and their outbox rows. One that is rejected has none. */
export function insertEmailStatements(ctx: MailCtx, workspace: number, emails: readonly NewEmail[]): MailStatement[] {
  const insert = ctx.mail.prepare(INSERT_EMAILS);
  const due = emails.flatMap(({ id, dueAt }) => (dueAt === null ? [] : [{ id, dueAt }]));
  return [
    ...jsonChunks(emails.map(toRow)).map((rows) => insert.bind(workspace, rows)),
    ctx.mail.prepare(INSERT_OUTBOX_ROWS).bind(workspace, JSON.stringify(due)),
  ];
}

/** Returns the JSON of a row. `content` is JSON already: as a string in it, every quote would be escaped again. */
function toRow({ content, ...email }: NewEmail): string {
  const columns = {
    ...email,
    recipients: JSON.stringify(email.recipients),
    tags: email.tags && JSON.stringify(email.tags),
    events: JSON.stringify(email.events),
    ...(email.personal ? shortColumns(email) : {}),
  };
  const row = JSON.stringify(columns);
  if (content === null) return row;
  const texts = Object.values(columns).filter((value) => typeof value === "string");
  const padding = contentPadding(email.contentSize, utf8Length(texts.join("")));
  return `${row.slice(0, -1)},"content":${content},"padding":${padding}}`;
}

/**
 * Returns the columns of an email of a broadcast that are shorter in a settled email. SQLite does not use again what a
 * shorter row leaves free in its page, so this row, which has no content, is short from the start.
 */
function shortColumns(email: Omit<NewEmail, "content">) {
  return { events: JSON.stringify(shortenEvents(email.events, email)), messageId: shortenMessageId(email) };
}
