import { lowerCase } from "../../../lib/addresses.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { bytesSql, withinBytes } from "../../../platform/db/byte-pages.ts";
import { SCOPE_SQL, TAG_SQL } from "./fts-query.ts";

/** Bounds of one run, which cron starts every minute: emails of one step, their bytes, and steps. */
const EMAILS_PER_STEP = 1_000;
const BYTES_PER_STEP = 2_000_000;
const MAX_INDEX_STEPS = 60;

/**
 * SQL for the greatest `n` in the index; emails above it are scanned. It is read from a shadow table of FTS5, by its primary
 * key: a progress row of its own would be one more row written for each run. Whatever deletes an email deletes its entry
 * in the same transaction, because SQLite assigns the greatest deleted `n` again.
 */
export const LAST_INDEXED_SQL = "(SELECT coalesce(max(id), 0) FROM email_search_docsize)";

const NEXT_EMAILS = withinBytes(
  `SELECT n, from_email, ${bytesSql("recipients", "subject", "tags")} AS bytes FROM emails
    WHERE n > ${LAST_INDEXED_SQL} ORDER BY n LIMIT ?1`,
  BYTES_PER_STEP,
);

// lower() of SQLite does not return the canonical form of an address with letters outside ASCII.
const FIND_STEP = `
  SELECT max(n) AS last, json_group_array(DISTINCT from_email) FILTER (WHERE from_email GLOB '*[^ -~]*') AS senders
    FROM (${NEXT_EMAILS})`;

const indexEntries = (condition: string) => `
  INSERT INTO email_search (rowid, sender, subject, recipients, tags, scope)
  SELECT n, concat_ws(' ', from_email, from_name, (SELECT value->>'key' FROM json_each(?2) WHERE value->>'email' = from_email)),
    subject,
    (SELECT group_concat(concat_ws(' ', value->>'email', value->>'name', value->>'key'), ' ') FROM json_each(recipients)),
    (SELECT group_concat(${TAG_SQL}, '') FROM json_each(tags)), ${SCOPE_SQL}
    FROM emails WHERE ${condition}`;

const INDEX_EMAILS = indexEntries(`n > ${LAST_INDEXED_SQL} AND n <= ?1`);
/** Indexes emails whose entries were deleted: `?1` is a JSON list of emails.n, `?2` the canonical forms of senders outside ASCII. */
export const INDEX_AGAIN = indexEntries("n IN (SELECT value FROM json_each(?1))");

/** SQL expression that reads one entry of the primary key of each table: 1 when emails wait for the index, else 0. */
export const HAS_NEW_EMAILS_SQL = `EXISTS (SELECT 1 FROM emails WHERE n > ${LAST_INDEXED_SQL})`;

/**
 * Adds new emails to the trigram index in the order of n, in at most `maxSteps` steps. Each step is one statement that
 * continues after the last one, so concurrent runs index no email twice. Returns the number of steps.
 */
export async function indexEmails(ctx: MailCtx, maxSteps = MAX_INDEX_STEPS): Promise<number> {
  for (let step = 0; step < maxSteps; step++) {
    const found = await ctx.mail.findRow<{ last: number | null; senders: string }>(FIND_STEP, EMAILS_PER_STEP);
    if (!found || found.last === null) return step;
    await indexStep(ctx, found.last, JSON.parse(found.senders) as string[]);
  }
  return maxSteps;
}

/** Indexes the emails up to `last`. `senders` are the addresses among them that have letters outside ASCII. */
async function indexStep(ctx: MailCtx, last: number, senders: readonly string[]): Promise<void> {
  const keys = JSON.stringify(senders.map((email) => ({ email, key: lowerCase(email) })));
  await ctx.mail.execute(INDEX_EMAILS, last, keys);
}
