import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { metadataSql } from "../../platform/db/contact-metadata.ts";
import { hasWorkLeft } from "../../platform/db/count-statements.ts";
import { beginDayStatement, countEmailsStatements, dailyLimitOf } from "../../platform/rate-limits/daily-emails.ts";
import { commitStatements, type NewEmail, toCommit } from "../../sending/emails/index.ts";
import type { StoredContent } from "./contents.ts";
import { afterPage, type FanOut, serializeFanOut } from "./fan-out.ts";
import { findSuppressed } from "./find-suppressed.ts";
import { localTimes } from "./local-times.ts";
import { type PageContact, toEmail } from "./new-email.ts";
import { skipStatements } from "./plan-audience.ts";
import type { BroadcastRow } from "./queries.ts";
import { addSkips, type Skip, type SkipReason, toSkip } from "./skip-reasons.ts";
import { rankOf, variantOf } from "./split.ts";
import type { WorkspaceState } from "./workspace-state.ts";

/** Contacts of one page, which is one transaction. */
export const CONTACTS_PER_PAGE = 1_000;
/** Bytes of metadata that one page reads, after one contact at least. */
const METADATA_PER_PAGE = 4_000_000;
/**
 * Emails of one outbox row: so many leave before transactional mail that arrives meanwhile. A multiple of FLUSH_EMAILS
 * (src/sending/delivery/rules.ts), because each flush writes rows of its own.
 */
export const EMAILS_PER_ROW = 64;

// The metadata is read only when the content names a key of it, and only these keys.
const findContacts = (source: string, order: string) => `
  WITH page AS MATERIALIZED (
    SELECT n, sum(size) OVER (ORDER BY ${order}) - size AS before FROM (
      SELECT c.n, c.id, CASE WHEN json_array_length(?5) > 0 THEN coalesce(octet_length(c.metadata), 0) ELSE 0 END AS size
        FROM ${source} AND c.n <= ?3 ORDER BY c.${order} LIMIT ?6))
  SELECT c.n, c.id, c.email, c.email_key AS key, c.name,
         coalesce(s.reason, CASE WHEN ?8 AND EXISTS (
           SELECT 1 FROM broadcast_repeated r WHERE r.broadcast = ?4 AND r.contact = c.n) THEN 'repeated' END,
           iif(EXISTS (SELECT 1 FROM broadcast_pending p WHERE p.broadcast = ?4 AND p.contact = c.n), 'pending', NULL)) AS skipped, c.pending_since, (SELECT count(*) FROM page) AS found,
         ${metadataSql("?5")} AS metadata
    FROM page CROSS JOIN contacts c ON c.n = page.n
    LEFT JOIN broadcast_skipped s ON s.broadcast = ?4 AND s.contact = c.n
   WHERE page.before < ?7 ORDER BY c.${order}`;

const FIND_CONTACTS = findContacts(
  "contact_lists l CROSS JOIN contacts c ON c.list = l.n WHERE l.n = ?1 AND c.id > ?2",
  "id",
);

// A contact of a missing list must not be read.
const FIND_MEMBERS = findContacts(
  `broadcast_members m CROSS JOIN contacts c ON c.n = m.contact CROSS JOIN contact_lists l ON l.n = c.list
       WHERE m.broadcast = ?4 AND m.contact > CAST(?2 AS INTEGER)`,
  "n",
);

const SAVE = `
  UPDATE broadcasts SET fan_out = ?3, fan_out_step = fan_out_step + 1
   WHERE n = ?1 AND fan_out_step = ?2 AND status = 'sending'`;

const INSERT_PAGE = `
  INSERT INTO broadcast_pages (workspace, broadcast, last_n, first_n)
  SELECT workspace, broadcast, max(n), min(n) FROM emails
   WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2)) GROUP BY workspace, broadcast`;

const ADD_QUEUED = `
  INSERT INTO broadcast_counts (broadcast, variant, workspace, queued)
  SELECT ?1, value->>'variant', ?2, value->>'queued' FROM json_each(?3) WHERE true
  ON CONFLICT DO UPDATE SET queued = queued + excluded.queued`;

/** Returns the statement that stores the state of a fan-out, unless another run stored one or the broadcast stopped. */
export function saveStatement(ctx: MailCtx, { n, fan_out_step }: BroadcastRow, fanOut: FanOut) {
  return ctx.mail.prepare(SAVE).bind(n, fan_out_step, serializeFanOut(fanOut));
}

/** A broadcast, its progress, its contents, and the number of contacts to read. */
export interface ContactPage {
  workspace: WorkspaceState;
  row: BroadcastRow;
  fanOut: FanOut;
  contents: readonly StoredContent[];
  /** Most contacts. */
  contacts: number;
}

/** The state after a page, the number of its emails, and the size of the database in bytes. */
export interface CreatedEmails {
  fanOut: FanOut;
  emails: number;
  size: number;
}

/**
 * Makes the emails of the next page of contacts and stores the progress, in one transaction: whenever a run is killed, a
 * contact has its email and is passed, or neither. Makes three D1 calls. Throws ConcurrencyError when another run was first,
 * or the broadcast is not sending any more; RefusedBatchError when the emails exceed the daily limit of the workspace.
 */
export async function createEmails(
  ctx: MailCtx,
  { workspace, row, fanOut, contents, contacts: maxContacts }: ContactPage,
): Promise<CreatedEmails> {
  const names = [...new Set(contents.flatMap((content) => content.names))].filter(
    (name) => name !== "email" && name !== "name",
  );
  const read = row.local_time_field === null ? names : [...names, row.local_time_field];
  const contacts = await ctx.mail.listRows<
    PageContact & { pending_since: number | null; skipped: SkipReason | null; found: number }
  >(
    fanOut.segment ? FIND_MEMBERS : FIND_CONTACTS,
    ...[fanOut.list, fanOut.cursor ?? "", fanOut.lastContact, row.n, JSON.stringify(read)],
    ...[maxContacts, METADATA_PER_PAGE, fanOut.lists.length > 1 ? 1 : 0],
  );
  const chosen = contacts.flatMap((contact) => {
    const content = contact.skipped === null ? contentFor(row, fanOut, contents, contact.id) : undefined;
    return content ? [{ contact, content }] : [];
  });
  const keys = chosen.map(({ contact }) => contact.key);
  const suppressed = await findSuppressed(ctx, { workspace: row.workspace, topic: fanOut.topic ?? null }, keys);
  // A contact whose address was changed since the plan is pending again.
  const causeOf = ({ key, pending_since: pending }: { key: string; pending_since: number | null }) =>
    suppressed.get(key) ?? (pending === null ? undefined : ("pending" as const));
  const isChosen = new Set(chosen.map(({ contact }) => contact.n));
  const mailed = chosen.filter(({ contact }) => causeOf(contact) === undefined);
  const made = makeEmails(ctx, row, fanOut, mailed, localTimes(row, workspace.timeZone, ctx.now()));
  const end = contacts.findIndex(({ n }) => n === mailed[made.length]?.contact.n);
  const passed = end < 0 ? contacts : contacts.slice(0, end);
  const skipped = passed.flatMap((contact) => {
    const cause = isChosen.has(contact.n) && causeOf(contact);
    return cause ? [toSkip(contact.n, cause)] : [];
  });
  const isLast = end < 0 && contacts.length === (contacts[0]?.found ?? 0) && contacts.length < maxContacts;
  const last = passed.at(-1);
  const cursor = last && (fanOut.segment ? String(last.n) : last.id);
  const counted = fanOut.skipped ? { ...fanOut, skipped: addSkips(fanOut.skipped, skipped) } : fanOut;
  const next = afterPage(counted, { cursor: cursor ?? fanOut.cursor, isLast });
  return { fanOut: next, ...(await writeEmails(ctx, workspace, row, next, made, skipped)) };
}

/** Returns the content for a contact in the current phase, or undefined when it belongs to another. */
function contentFor(
  row: BroadcastRow,
  { split, phase }: FanOut,
  contents: readonly StoredContent[],
  contactId: string,
) {
  if (split === null) return undefined;
  const variant = variantOf(split, rankOf(row.id, contactId));
  if (phase.kind === "first")
    return variant === null ? undefined : contents.find((content) => content.variant === variant);
  return variant === null ? contents.find((content) => content.variant === phase.variant) : undefined;
}

/** Makes the emails of contacts, and at least one, until the work of the invocation is used up: a subject may be Liquid. */
function makeEmails(
  ctx: MailCtx,
  row: BroadcastRow,
  { sender, topic }: FanOut,
  mailed: readonly { contact: PageContact; content: StoredContent }[],
  timeOf: (contact: PageContact) => number,
): NewEmail[] {
  const now = ctx.now();
  const perRow = rowSize(row.max_per_hour);
  // Emails that are due at the same time share outbox rows.
  const rows = new Map<number, { outboxId: string; emails: number }>();
  const emails: NewEmail[] = [];
  for (const { contact, content } of mailed) {
    if (emails.length > 0 && !hasWorkLeft(ctx)) break;
    const dueAt = timeOf(contact);
    const shared = rows.get(dueAt);
    const { outboxId, emails: others } =
      shared && shared.emails < perRow ? shared : { outboxId: ctx.newId(), emails: 0 };
    rows.set(dueAt, { outboxId, emails: others + 1 });
    emails.push(toEmail(ctx, { row, sender, topic: topic ?? null, contact, content, now, dueAt, outboxId }));
  }
  return emails;
}

async function writeEmails(
  ctx: MailCtx,
  workspace: WorkspaceState,
  row: BroadcastRow,
  fanOut: FanOut,
  emails: readonly NewEmail[],
  skipped: readonly Skip[],
): Promise<Omit<CreatedEmails, "fanOut">> {
  const db = ctx.mail;
  const queued = [...Map.groupBy(emails, ({ personal }) => personal?.variant ?? 0)].map(([variant, group]) => {
    return { variant, queued: group.length };
  });
  const results = await guardedBatch(db, [
    ...(dailyLimitOf(ctx, workspace) === null ? [] : [beginDayStatement(ctx, [workspace.number])]),
    saveStatement(ctx, row, fanOut),
    expectChanges(db, 1),
    ...insertStatements(ctx, workspace, row.n, emails, queued),
    ...skipStatements(ctx, row, skipped),
    ...(emails.length > 0 ? countEmailsStatements(ctx, workspace, emails.length) : []),
  ]);
  return { emails: emails.length, size: results.at(-1)?.meta.size_after ?? 0 };
}

/**
 * Returns the statements that insert emails of the broadcast `n` with their outbox rows, and count them by variant; none without emails.
 * They roll back the batch with ConcurrencyError when the workspace was deleted.
 */
export function insertStatements(
  ctx: MailCtx,
  workspace: { number: number; id: string },
  n: number,
  emails: readonly NewEmail[],
  queued: readonly { variant: number; queued: number }[],
): MailStatement[] {
  if (emails.length === 0) return [];
  const { number } = workspace;
  const ids = JSON.stringify(emails.map(({ id }) => id));
  return [
    ...commitStatements(ctx, [toCommit(workspace, emails)], true),
    ctx.mail.prepare(INSERT_PAGE).bind(number, ids),
    ctx.mail.prepare(ADD_QUEUED).bind(n, number, JSON.stringify(queued)),
  ];
}

/** Returns the emails of an outbox row: fewer for a slow broadcast, so that they leave about evenly. */
function rowSize(maxPerHour: number | null): number {
  return maxPerHour === null ? EMAILS_PER_ROW : Math.max(1, Math.min(EMAILS_PER_ROW, Math.floor(maxPerHour / 60)));
}
