import type { Ctx } from "../../context.ts";
import { mailDb } from "../../db/client.ts";
import { SCOPE_SQL, TAG_SQL } from "./match.ts";

/** Emails one step takes, and steps of one run: a bounded piece of a job that comes again each minute. */
const EMAILS = 1_000;
const STEPS = 60;

const INDEX_EMAILS = `
  INSERT INTO email_search (rowid, sender, subject, recipients, tags, scope)
  SELECT n, from_email || ' ' || coalesce(from_name, ''), subject,
    (SELECT group_concat(value->>'email' || ' ' || coalesce(value->>'name', ''), ' ') FROM json_each(recipients)),
    (SELECT group_concat(${TAG_SQL}, '') FROM json_each(tags)), ${SCOPE_SQL}
    FROM emails WHERE n > (SELECT n FROM search_progress) ORDER BY n LIMIT ?1`;

// In the transaction of the statement before it, so what it counts is what went in.
const NOTE_PROGRESS = `
  UPDATE search_progress SET n = (
    SELECT max(n) FROM (SELECT n FROM emails WHERE n > (SELECT n FROM search_progress) ORDER BY n LIMIT ?1))
   WHERE EXISTS (SELECT 1 FROM emails WHERE n > (SELECT n FROM search_progress))`;

/**
 * Puts emails that came since the last run into the trigram index, in the order of n. Any number of runs at once
 * take turns: each step is one transaction that begins where the last one ended.
 */
export async function indexEmails(ctx: Ctx): Promise<void> {
  const db = mailDb(ctx);
  for (let step = 0; step < STEPS; step++) {
    const [indexed] = await db.batch([db.prepare(INDEX_EMAILS).bind(EMAILS), db.prepare(NOTE_PROGRESS).bind(EMAILS)]);
    if ((indexed?.meta.rows_written ?? 0) === 0) return;
  }
}
