import { utf8Length } from "../../../lib/bytes.ts";
import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { expectChanges } from "../../../platform/db/batch.ts";
import { jsonGroups } from "../../../platform/db/json-chunks.ts";
import { addWorkspacesStatement } from "../../../platform/db/shard-workspaces.ts";
import {
  IS_UNUSED_KEY,
  type KeyedResponse,
  storeResponsesStatements,
} from "../../../platform/idempotency/store-responses.ts";
import type { SentCopyRow } from "../../../platform/outbox/sent-copy.ts";
import { beginDayStatement, countCommitsStatement } from "../../../platform/rate-limits/daily-emails.ts";
import { recordEventsStatements } from "../../../platform/webhook-events/record.ts";
import type { WebhookEvent } from "../../../platform/webhook-events/rules.ts";
import { contentPadding } from "../content/index.ts";
import { shortenMessageId } from "../message-id.ts";
import { changeStatement, shortenEvents } from "../timeline/index.ts";
import type { NewEmail } from "./new-email.ts";

/** Emails of one workspace that are written together, or not at all. Plain data: it crosses from one request to another. */
export interface Commit {
  workspace: { number: number; id: string };
  /** Their ids, and the JSON of their rows. */
  ids: readonly string[];
  rows: readonly string[];
  /**
   * Those that are due at a time, in ms since 1970: now, or when they are scheduled. `outboxId`: the outbox row that an email shares; null:
   * its own.
   */
  due: readonly { id: string; dueAt: number; outboxId: string | null; isQueued: boolean }[];
  /** Emails that the workspace may have accepted in a day; null: no limit, and they do not count. */
  limit: number | null;
  /** The response to their request, for those that repeat it. */
  keyed: KeyedResponse | null;
  /** The outbox row of a copy in Sent. */
  copy: SentCopyRow | null;
  events: readonly WebhookEvent[];
}

/** Returns the commit of emails that are neither limited nor answered. `workspace`: its number and id. */
export const toCommit = ({ number, id }: Commit["workspace"], emails: readonly NewEmail[]): Commit => ({
  workspace: { number, id },
  ids: emails.map((email) => email.id),
  rows: emails.map(toRow),
  due: emails.flatMap(({ id: email, dueAt, outboxId, status }) =>
    dueAt === null ? [] : [{ id: email, dueAt, outboxId, isQueued: status === "queued" }],
  ),
  limit: null,
  keyed: null,
  copy: null,
  events: [],
});

// Those of the JSON array `?2` under whose Idempotency-Key no response is stored, and for which and all before them the day has room.
// One that is written already fails by its id, also when it was the last of the day: a repeated transaction would count it again.
const WRITABLE = `
  SELECT at FROM (
    SELECT c.key AS at, w.number, c.value->>'email' AS email, c.value->>'limit' AS day_limit,
           w.day_emails + sum(c.value->>'emails') OVER (PARTITION BY w.number, c.value->>'limit' IS NULL ORDER BY c.key) AS total
      FROM json_each(?2) c CROSS JOIN shard_workspaces w ON w.number = c.value->>'workspace'
     WHERE c.value->>'keys' IS NULL OR ${IS_UNUSED_KEY}) m
   WHERE day_limit IS NULL OR total <= day_limit
      OR EXISTS (SELECT 1 FROM emails e WHERE e.workspace = m.number AND e.id = m.email)`;

// Without the materialized table SQLite writes the JSON of a row again for each of its columns: twice the time.
const insertEmails = (condition = "") => `
  INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, user_id, from_email, from_name, message_id,
    subject, recipients, tags, events, content_key, content_offset, content_size, outbox_id, scheduled_at, created_at,
    rejection_reason, retry_of_id, content, broadcast, variant, contact, variables, request_id, topic)
  WITH rows AS MATERIALIZED (SELECT value AS row FROM json_each(?1))
  SELECT w.number, row->>'id', row->>'status', row->>'source', row->>'domainId', row->>'mailboxId', row->>'userId',
    row->>'fromEmail', row->>'fromName', row->>'messageId', row->>'subject', row->>'recipients', row->>'tags',
    row->>'events', row->>'contentKey', row->>'contentOffset', row->>'contentSize',
    coalesce(row->>'outboxId', row->>'sharedId'), row->>'scheduledAt', row->>'createdAt', row->>'rejectionReason', row->>'retryOfId',
    (row->'content') || printf('%*s', row->>'padding', ''),
    row->>'$.personal.broadcast', row->>'$.personal.variant', row->>'$.personal.contact', row->>'$.personal.variables',
    row->>'requestId', row->>'topic'
  FROM rows CROSS JOIN shard_workspaces w ON w.number = row->>'workspace' AND w.status = 'open' ${condition}
  RETURNING id`;
const INSERT_EMAILS = insertEmails();
// It takes several times as long to prepare.
const INSERT_WRITABLE_EMAILS = insertEmails(`WHERE row->>'commit' IN (${WRITABLE})`);

// Emails of a broadcast have rows of its turn.
const INSERT_OUTBOX_ROWS = `
  INSERT INTO outbox (id, due_at, kind, ref, broadcast, workspace)
  SELECT coalesce(e.outbox_id, e.id), min(j.value->>'dueAt'), iif(e.broadcast IS NULL, 'deliver', 'bulk'), json_group_array(e.n), e.broadcast, e.workspace
    FROM json_each(?1) j CROSS JOIN emails e ON e.workspace = j.value->>'workspace' AND e.id = j.value->>'id'
   GROUP BY coalesce(e.outbox_id, e.id)`;

const INSERT_COPIES = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref, workspace)
  SELECT j.value->>'dueAt', j.value->>'id', j.value->>'kind', j.value->>'ref', e.workspace
    FROM json_each(?1) j CROSS JOIN emails e ON e.workspace = j.value->>'workspace' AND e.id = j.value->>'email'`;

/**
 * Returns the statements that write commits to the mail database, for one transaction: the emails with their first events, their outbox
 * rows, change rows, copies, stored responses, webhook events and the count of the day. A commit that may not be written has no
 * row of these, and stops no other; the ids of the emails that were written are the only rows that the statements return. With
 * `isStrict` it rolls back the transaction with ConcurrencyError.
 */
export function commitStatements(ctx: MailCtx, commits: readonly Commit[], isStrict = false): MailStatement[] {
  const { mail: db } = ctx;
  const members = commits.map(toMember);
  const limited = members.filter(({ limit }) => limit !== null);
  const keyed = members.filter(({ keys }) => keys !== undefined);
  const insert =
    limited.length + keyed.length > 0
      ? (rows: string) => db.prepare(INSERT_WRITABLE_EMAILS).bind(rows, JSON.stringify(members))
      : (rows: string) => db.prepare(INSERT_EMAILS).bind(rows);
  const rows = commits.flatMap((commit, at) => {
    const sharedId = commit.ids.length === 1 ? commit.due[0]?.outboxId : undefined;
    const ofCommit = JSON.stringify({ commit: at, workspace: commit.workspace.number, sharedId }).slice(1);
    return commit.rows.map((row) => `${row.slice(0, -1)},${ofCommit}`);
  });
  const placed = commits.flatMap(({ workspace, ids }) => ids.map((id) => ({ workspace: workspace.number, id })));
  const due = commits.flatMap((commit) => commit.due.map((row) => ({ ...row, workspace: commit.workspace.number })));
  const copies = commits.flatMap(({ copy, workspace, ids: [email] }) =>
    copy ? [{ ...copy, workspace: workspace.number, email }] : [],
  );
  const workspaces = commits.map(({ workspace }) => workspace);
  const events = commits.flatMap((commit) => commit.events);
  return [
    // Reading a large body can take longer than the deletion of the workspace and all its rows.
    addWorkspacesStatement(ctx, workspaces),
    ...(limited.length > 0 ? [beginDayStatement(ctx, limited.map(numberOf))] : []),
    ...jsonGroups(rows).flatMap(({ json, count }) => [insert(json), ...(isStrict ? [expectChanges(db, count)] : [])]),
    ...(due.length > 0 ? [db.prepare(INSERT_OUTBOX_ROWS).bind(JSON.stringify(due))] : []),
    changeStatement(ctx, placed),
    ...(copies.length > 0 ? [db.prepare(INSERT_COPIES).bind(JSON.stringify(copies))] : []),
    ...(keyed.length > 0 ? storeResponsesStatements(ctx, keyed) : []),
    ...recordEventsStatements(ctx, events),
    ...(limited.length > 0 ? [countCommitsStatement(ctx, limited)] : []),
  ];
}

const numberOf = ({ workspace }: { workspace: number }) => workspace;

/** Returns the fields of a commit that the statements read as JSON. They take a commit as written when its first email is there. */
const toMember = ({ workspace, ids, limit, keyed }: Commit) => ({
  workspace: workspace.number,
  email: ids[0],
  emails: ids.length,
  limit,
  ...keyed,
});

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
