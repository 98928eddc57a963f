import { utf8Length } from "../../../lib/bytes.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { expectChanges, guardedBatch } from "../../../platform/db/batch.ts";
import { bytesSql, withinBytes } from "../../../platform/db/byte-pages.ts";
import { fullKey, r2Keys } from "../../../platform/db/r2-keys.ts";
import { contentPlace } from "../content/index.ts";
import { isPending } from "../rules.ts";
import { findRecipientNumbers, indexAgainStatements } from "../search/index.ts";
import {
  applyFacts,
  changeStatement,
  EMAIL_STATE_COLUMNS,
  type EmailState,
  type EmailStateRow,
  recipientKey,
  toState,
} from "../timeline/index.ts";
import { overwriteContents, scrubDocument } from "./erase-content.ts";
import { type ErasedEmail, eraseRecipient } from "./erase-email.ts";
import { Scrubber } from "./scrub.ts";

/** Emails of one step: each may have an R2 object of its own, which is read and written. */
const EMAILS_PER_STEP = 20;
/** Bytes of the emails that one statement writes: JSON of them may be twice as long, and D1 takes 2 MB. */
const BYTES_PER_STEP = 800_000;

/** A person in one workspace. `key` is the canonical address. */
export interface ErasedPerson {
  workspace: number;
  workspaceId: string;
  key: string;
}

/** A step of an erasure. `next.before` is emails.n below which it continues, null from the newest on; `next` is null at the end. */
export interface EmailsErased {
  next: { before: number | null } | null;
  erased: number;
  cancelled: number;
}

type Row = EmailStateRow & {
  subject: string;
  rejection_reason: string | null;
  variables: string | null;
  tags: string | null;
  content: string | null;
  content_key: string | null;
  content_offset: number;
  content_size: number;
  found: number;
};

const FIND = `
  SELECT ${EMAIL_STATE_COLUMNS}, e.subject, e.rejection_reason, e.variables, e.tags, e.content, e.content_key, e.content_offset, e.content_size, p.found
    FROM (${withinBytes(
      `SELECT n, ${bytesSql("events", "recipients", "content", "variables")} AS bytes FROM emails
        WHERE n IN (SELECT value FROM json_each(?1)) AND +workspace = ?2 ORDER BY n DESC LIMIT -1`,
      BYTES_PER_STEP,
    )}) p CROSS JOIN emails e ON e.n = p.n ORDER BY e.n DESC`;

/**
 * Erases a person from up to 20 emails below `before` (emails.n), newest first: cancels what has not left, then replaces its entries and
 * removes its content. Safe to repeat: an email that is done is not found again. Throws ConcurrencyError when an email changed meanwhile.
 */
export async function eraseEmails(ctx: MailCtx, person: ErasedPerson, before: number | null): Promise<EmailsErased> {
  const numbers = await findRecipientNumbers(ctx, person.workspace, person.key, { before, limit: EMAILS_PER_STEP });
  if (numbers === null) return { next: { before }, erased: 0, cancelled: 0 };
  let page = await readRows(ctx, person, numbers);
  const waiting = page.emails.filter(({ state }) => isWaiting(state, person.key));
  if (waiting.length > 0) {
    await applyFacts(
      ctx,
      waiting.map(({ state }) => toCancellation(ctx, state, person.key)),
    );
    page = await readRows(ctx, person, numbers);
  }
  await writeErased(ctx, person, page.emails);
  const last = page.cutAt ?? (numbers.length < EMAILS_PER_STEP ? null : numbers.at(-1));
  return { next: last == null ? null : { before: last }, erased: page.emails.length, cancelled: waiting.length };
}

interface FoundEmail {
  row: Row;
  state: EmailState;
}

/** Reads the first emails with these numbers. `cutAt`: the last one read, when others did not fit. */
async function readRows(ctx: MailCtx, person: ErasedPerson, numbers: readonly number[]) {
  const results = await ctx.mail.listRows<Row>(FIND, JSON.stringify(numbers), person.workspace);
  const last = results.at(-1);
  const emails = results
    .map((row): FoundEmail => ({ row, state: toState(row) }))
    .filter(({ state }) => state.recipients.some((entry) => recipientKey(entry) === person.key));
  return { emails, cutAt: last && results.length < last.found ? last.n : null };
}

/** Returns whether an email waits for an attempt, or its result, for a person. A scheduled one has no attempt yet. */
const isWaiting = ({ status, recipients }: EmailState, key: string) =>
  status !== "scheduled" &&
  status !== "cancelled" &&
  recipients.some((entry) => isPending(entry.state) && recipientKey(entry) === key);

const toCancellation = (ctx: MailCtx, state: EmailState, recipient: string) => ({
  state,
  attempt: 0,
  facts: [
    { id: ctx.newId(), recipient, on: "cancelled" as const, at: ctx.now(), metadata: { reason: "person erased" } },
  ],
});

// The id too, because a later email may get the number of a deleted one. Content that moved to R2 meanwhile is read again.
const UPDATE = `
  WITH j AS MATERIALIZED (SELECT value FROM json_each(?1))
  UPDATE emails SET status = j.value->>'status', recipients = j.value->>'recipients', events = j.value->>'events',
    subject = j.value->>'subject', rejection_reason = j.value->>'rejectionReason', variables = j.value->>'variables',
    tags = j.value->>'tags',
    content = j.value->>'content', version = version + 1
  FROM j WHERE emails.n = j.value->>'n' AND emails.id = j.value->>'id' AND emails.version = j.value->>'version'
    AND emails.content_key IS j.value->>'contentKey' AND (emails.content IS NOT NULL) = j.value->>'hasContent'`;

const UNSCHEDULE = `
  DELETE FROM outbox WHERE id IN (
    SELECT id FROM emails WHERE n IN (SELECT value FROM json_each(?1)) AND workspace = ?2 AND status = 'scheduled')`;

async function writeErased(ctx: MailCtx, person: ErasedPerson, found: readonly FoundEmail[]): Promise<void> {
  if (found.length === 0) return;
  const scrubber = new Scrubber(person.key);
  const emails = found.map(({ row, state }) => ({
    row,
    erased: eraseRecipient(toErasable(row, state), person.key, scrubber),
  }));
  await eraseObjects(ctx, person, emails, scrubber);
  const db = ctx.mail;
  const rows = emails.map(({ row, erased }) => ({
    ...erased,
    n: row.n,
    id: row.id,
    version: row.version,
    contentKey: row.content_key,
    hasContent: row.content === null ? 0 : 1,
    content: erased.isAlone || row.content === null ? null : scrubRowContent(row.content, person.key, scrubber),
  }));
  const numbers = JSON.stringify(rows.map(({ n }) => n));
  const unscheduled = JSON.stringify(rows.filter(({ isUnscheduled }) => isUnscheduled).map(({ n }) => n));
  await guardedBatch(db, [
    db.prepare(UNSCHEDULE).bind(unscheduled, person.workspace),
    db.prepare(UPDATE).bind(JSON.stringify(rows)),
    expectChanges(db, rows.length),
    ...indexAgainStatements(ctx, numbers),
    changeStatement(
      ctx,
      rows.map(({ id }) => ({ workspace: person.workspace, id })),
    ),
  ]);
}

const toErasable = (row: Row, state: EmailState) => ({
  state,
  subject: row.subject,
  rejectionReason: row.rejection_reason,
  variables: row.variables,
  tags: row.tags,
});

/**
 * Returns the scrubbed document of a row, and spaces up to one byte more than the row had: a run that packed the content before compares
 * its length, and so sets no place of an unscrubbed copy (hasPackedContentSql).
 */
function scrubRowContent(content: string, key: string, scrubber: Scrubber): string {
  const document = scrubDocument(content.trimEnd(), key, scrubber);
  return document + " ".repeat(utf8Length(content) + 1 - utf8Length(document));
}

/**
 * Removes content in R2: objects of single emails to the person alone are deleted, places in other objects overwritten. The contents of
 * broadcasts are shared and name no recipient.
 */
async function eraseObjects(
  ctx: MailCtx,
  { key, workspaceId }: ErasedPerson,
  emails: readonly { row: Row; erased: ErasedEmail }[],
  scrubber: Scrubber,
): Promise<void> {
  const own = ({ id }: Row) => r2Keys.email(workspaceId, id);
  const isOwn = (row: Row) => row.content_key === null || fullKey(workspaceId, row.content_key) === own(row);
  const deleted = emails.filter(({ row, erased }) => erased.isAlone && isOwn(row)).map(({ row }) => own(row));
  if (deleted.length > 0) await ctx.env.CONTENT.delete(deleted);
  const contents = emails
    .filter(({ row, erased }) => row.content === null && !(erased.isAlone && isOwn(row)))
    .map(({ row, erased }) => ({
      isAlone: erased.isAlone,
      place: contentPlace(workspaceId, {
        id: row.id,
        contentKey: row.content_key,
        contentOffset: row.content_offset,
        contentSize: row.content_size,
      }),
    }))
    .filter(({ place }) => !place.key.includes("/broadcasts/"));
  for (const group of Map.groupBy(contents, ({ place }) => place.key).values())
    await overwriteContents(ctx, group, { key, scrubber });
}
