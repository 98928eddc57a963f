import type { MailCtx } from "../../context.ts";
import { mailDb } from "../../db/client.ts";
import { SCOPE_SQL, TAG_SQL } from "./fts-query.ts";

/** Bounds of one run, which cron starts every minute: emails of one step, and steps. */
const EMAILS_PER_STEP = 1_000;
const MAX_STEPS = 60;

// The canonical address of the sender, which lower() of SQLite does not return for letters outside ASCII.
const SENDER_KEY = "(SELECT m.address FROM mailboxes m WHERE m.id = emails.mailbox_id)";

const INDEX_EMAILS = `
  INSERT INTO email_search (rowid, sender, subject, recipients, tags, scope)
  SELECT n, concat_ws(' ', from_email, from_name, CASE WHEN from_email GLOB '*[^ -~]*' THEN ${SENDER_KEY} END), subject,
    (SELECT group_concat(concat_ws(' ', value->>'email', value->>'name', value->>'key'), ' ') FROM json_each(recipients)),
    (SELECT group_concat(${TAG_SQL}, '') FROM json_each(tags)), ${SCOPE_SQL}
    FROM emails WHERE n > (SELECT n FROM search_progress) ORDER BY n LIMIT ?1`;

// Runs in the transaction of INDEX_EMAILS, so both read the same emails.
const SAVE_PROGRESS = `
  UPDATE search_progress SET n = (
    SELECT max(n) FROM (SELECT n FROM emails WHERE n > (SELECT n FROM search_progress) ORDER BY n LIMIT ?1))
   WHERE EXISTS (SELECT 1 FROM emails WHERE n > (SELECT n FROM search_progress))`;

/**
 * Adds new emails to the trigram index in the order of n. Each step is one transaction that continues after the last
 * one, so concurrent runs index no email twice.
 */
export async function indexEmails(ctx: MailCtx): Promise<void> {
  const db = mailDb(ctx);
  for (let step = 0; step < MAX_STEPS; step++) {
    const [indexed] = await db.batch([
      db.prepare(INDEX_EMAILS).bind(EMAILS_PER_STEP),
      db.prepare(SAVE_PROGRESS).bind(EMAILS_PER_STEP),
    ]);
    if ((indexed?.meta.rows_written ?? 0) === 0) return;
  }
}
