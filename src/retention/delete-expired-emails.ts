import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { r2Keys } from "../db/r2-keys.ts";
import { rewindSearchProgressStatement } from "../emails/search/index.ts";
import { purgeStatement } from "../purges/index.ts";
import { emailCutoff, ROWS, STEPS } from "./rules.ts";

// n grows with time, so the oldest come first. Mail that is not done yet is never past its time.
const FIND_OLD = `
  SELECT e.n, e.id, e.content_key, w.id AS workspace_id FROM emails e JOIN workspaces w ON w.number = e.workspace
   WHERE max(e.created_at, coalesce(e.scheduled_at, 0)) < ?1 AND e.status NOT IN ('scheduled', 'queued')
     AND e.n <= (SELECT max(n) FROM (SELECT n FROM emails ORDER BY n LIMIT ?3))
   ORDER BY e.n LIMIT ?2`;

// The emails of a batch share an object and follow one another: its last one takes it along.
const STILL_NEEDED = `
  SELECT DISTINCT content_key FROM emails
   WHERE n BETWEEN ?1 AND ?2 AND n NOT IN (SELECT value FROM json_each(?3))
     AND content_key IN (SELECT value FROM json_each(?4))`;

/** Emails a batch may have: how far those that share an object lie apart. */
const NEIGHBOURS = 500;
/** Old mail that is not done yet and may stand before the rest: what one step looks past. */
const LOOK_PAST = 20_000;

interface OldRow {
  n: number;
  id: string;
  content_key: string | null;
  workspace_id: string;
}

/**
 * Takes away emails past RETENTION_DAYS, oldest first, in bounded steps: rows and search index in one transaction,
 * which leaves the objects in R2 to the outbox. Safe to be killed and to run twice at once.
 */
export async function deleteExpiredEmails(ctx: Ctx): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    if ((await forgetSome(ctx)) < ROWS) return;
  }
}

async function forgetSome(ctx: Ctx): Promise<number> {
  const db = mailDb(ctx);
  const { results } = await db
    .prepare(FIND_OLD)
    .bind(emailCutoff(ctx.now(), ctx.settings.retentionDays), ROWS, LOOK_PAST)
    .all<OldRow>();
  const [first, last] = [results[0], results.at(-1)];
  if (!first || !last) return 0;
  const numbers = JSON.stringify(results.map(({ n }) => n));
  const shared = [...new Set(results.flatMap(({ content_key }) => content_key ?? []))];
  const { results: needed } = await db
    .prepare(STILL_NEEDED)
    .bind(first.n - NEIGHBOURS, last.n + NEIGHBOURS, numbers, JSON.stringify(shared))
    .all<{ content_key: string }>();
  const kept = new Set(needed.map(({ content_key }) => content_key));
  const own = results.filter(({ content_key }) => content_key === null);
  const keys = [
    ...own.map(({ workspace_id, id }) => r2Keys.email(workspace_id, id)),
    ...shared.filter((key) => !kept.has(key)),
  ];
  await db.batch([
    db.prepare("DELETE FROM email_search WHERE rowid IN (SELECT value FROM json_each(?1))").bind(numbers),
    db.prepare("DELETE FROM emails WHERE n IN (SELECT value FROM json_each(?1))").bind(numbers),
    rewindSearchProgressStatement(ctx),
    ...(keys.length > 0 ? [purgeStatement(ctx, [{ id: first.id, purge: { keys } }])] : []),
  ]);
  return results.length;
}
