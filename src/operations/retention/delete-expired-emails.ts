import type { MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
import { fullKey, packedRange, r2Keys, storedKey } from "../../platform/db/r2-keys.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { purgeStatement } from "../../platform/outbox/index.ts";
import { rewindContentProgressStatement } from "../../sending/emails/content/index.ts";
import { isHeldSql } from "../../sending/emails/index.ts";
import { emailCutoff, MAX_STEPS, ROWS_PER_STEP } from "./rules.ts";

// n grows with time, so the oldest emails come first. Scheduled and queued emails never expire, nor do those that an egress holds.
const FIND_EXPIRED = `
  SELECT e.n, e.workspace, e.id, e.content_key, e.broadcast, w.id AS workspace_id FROM emails e JOIN shard_workspaces w ON w.number = e.workspace
   WHERE max(e.created_at, coalesce(e.scheduled_at, 0)) < ?1 AND e.status NOT IN ('scheduled', 'queued')
     AND NOT (e.status = 'sent' AND ${isHeldSql("e.recipients")})
     AND e.n <= (SELECT max(n) FROM (SELECT n FROM emails ORDER BY n LIMIT ?3))
   ORDER BY e.n LIMIT ?2`;

// A new email may have got the number of one that a purge has deleted meanwhile.
const IS_EXPIRED = "n IN (SELECT value FROM json_each(?1)) AND created_at < ?2";

// The emails of a batch share an R2 object and have neighbouring n; the object is deleted with the last of them.
const FIND_SHARED = `
  SELECT DISTINCT content_key FROM emails
   WHERE n BETWEEN ?1 AND ?2 AND n NOT IN (SELECT value FROM json_each(?3))
     AND content_key IN (SELECT value FROM json_each(?4))`;

/** Greatest number of emails that share an R2 object (limits.batch). */
const MAX_BATCH = 500;
/** Oldest rows that one step reads; unfinished emails among them are skipped. */
const MAX_UNFINISHED = 20_000;

// The key of a pack names its first and last email, so its rows are found however far apart their n are.
const FIND_SHARED_PACKS = `
  SELECT j.value->>'key' AS key FROM json_each(?1) j WHERE EXISTS (
    SELECT 1 FROM emails e WHERE e.workspace = j.value->>'workspace' AND e.id BETWEEN j.value->>'firstId' AND j.value->>'lastId'
      AND e.content_key IN (j.value->>'key', j.value->>'storedKey') AND e.n NOT IN (SELECT value FROM json_each(?2)))`;

// The emails of a broadcast may be far apart; its contents are deleted with the last of them. A step of an automation may send more.
const FIND_BROADCASTS = `
  SELECT j.value->>'broadcast' AS broadcast FROM json_each(?1) j WHERE EXISTS (
    SELECT 1 FROM broadcasts b WHERE b.n = j.value->>'broadcast' AND b.automation IS NOT NULL) OR EXISTS (
    SELECT 1 FROM broadcast_pages p CROSS JOIN emails e ON e.n BETWEEN p.first_n AND p.last_n AND e.broadcast = p.broadcast
     WHERE p.workspace = j.value->>'workspace' AND p.broadcast = j.value->>'broadcast'
       AND e.n NOT IN (SELECT value FROM json_each(?2)))`;

// Runs after the emails are deleted. Pages before those of this step are deleted already.
const DELETE_PAGES = `
  DELETE FROM broadcast_pages WHERE (workspace, broadcast, last_n) IN (
    SELECT p.workspace, p.broadcast, p.last_n FROM json_each(?1) j CROSS JOIN broadcast_pages p
        ON p.workspace = j.value->>'workspace' AND p.broadcast = j.value->>'broadcast' AND p.first_n <= ?2
     WHERE NOT EXISTS (SELECT 1 FROM emails e WHERE e.n BETWEEN p.first_n AND p.last_n AND e.broadcast = p.broadcast))`;

interface ExpiredRow {
  n: number;
  workspace: number;
  id: string;
  content_key: string | null;
  broadcast: number | null;
  workspace_id: string;
}

/**
 * Deletes emails older than RETENTION_DAYS, oldest first, in at most MAX_STEPS steps. One transaction per step deletes
 * rows and index entries and adds an outbox row that deletes the R2 objects. Safe to interrupt and to run concurrently.
 */
export async function* deleteExpiredEmails(ctx: MailCtx): Steps {
  for (let step = 0; step < MAX_STEPS; step++) {
    if ((await deleteStep(ctx)) < ROWS_PER_STEP) return;
    yield;
  }
}

async function deleteStep(ctx: MailCtx): Promise<number> {
  const db = mailDb(ctx);
  const cutoff = emailCutoff(ctx.now(), ctx.settings.retentionDays);
  const { results } = await db.prepare(FIND_EXPIRED).bind(cutoff, ROWS_PER_STEP, MAX_UNFINISHED).all<ExpiredRow>();
  const [first, last] = [results[0], results.at(-1)];
  if (!first || !last) return 0;
  const numbers = JSON.stringify(results.map(({ n }) => n));
  const shared = [...new Set(results.flatMap((row) => keyOf(row) ?? []))];
  const { results: sharedRows } = await db
    .prepare(FIND_SHARED)
    .bind(first.n - MAX_BATCH, last.n + MAX_BATCH, numbers, JSON.stringify([...shared, ...shared.map(storedKey)]))
    .all<{ content_key: string }>();
  const packs = await findSharedPacks(ctx, results, numbers);
  const ofStep = JSON.stringify(broadcastsOf(results));
  const broadcasts = await findBroadcasts(ctx, ofStep, numbers);
  const ofBroadcasts = results.filter(({ broadcast }) => broadcast !== null && broadcasts.has(broadcast));
  const sharedKeys = new Set(sharedRows.map(({ content_key }) => content_key));
  const keptKeys = new Set([
    ...shared.filter((key) => sharedKeys.has(key) || sharedKeys.has(storedKey(key))),
    ...packs.map(({ key }) => key),
    ...ofBroadcasts.map(keyOf),
  ]);
  const singles = results.filter(({ content_key }) => content_key === null);
  const keys = [
    ...singles.map(({ workspace_id, id }) => r2Keys.email(workspace_id, id)),
    ...shared.filter((key) => !keptKeys.has(key)),
  ];
  await db.batch([
    db
      .prepare(`DELETE FROM email_search WHERE rowid IN (SELECT n FROM emails WHERE ${IS_EXPIRED})`)
      .bind(numbers, cutoff),
    db.prepare(`DELETE FROM emails WHERE ${IS_EXPIRED}`).bind(numbers, cutoff),
    db.prepare(DELETE_PAGES).bind(ofStep, last.n),
    rewindContentProgressStatement(ctx),
    ...(keys.length > 0 ? [purgeStatement(ctx, [{ id: first.id, purge: { keys } }])] : []),
  ]);
  return results.length;
}

/** Returns the broadcasts of expired emails. */
function broadcastsOf(expired: readonly ExpiredRow[]) {
  const found = expired.flatMap(({ workspace, broadcast }) => (broadcast === null ? [] : [{ workspace, broadcast }]));
  return [...new Map(found.map((one) => [one.broadcast, one])).values()];
}

/** Returns the numbers of broadcasts of expired emails that have other emails too. */
async function findBroadcasts(ctx: MailCtx, broadcasts: string, numbers: string): Promise<Set<number>> {
  if (broadcasts === "[]") return new Set();
  const { results } = await mailDb(ctx).prepare(FIND_BROADCASTS).bind(broadcasts, numbers).all<{ broadcast: number }>();
  return new Set(results.map(({ broadcast }) => broadcast));
}

/** Returns the keys of packs of expired emails that other emails name too. */
async function findSharedPacks(ctx: MailCtx, expired: readonly ExpiredRow[], numbers: string) {
  const packs = new Map(
    expired.flatMap((row) => {
      const key = keyOf(row);
      const range = key === null ? null : packedRange(key);
      return range
        ? [[key, { key, storedKey: storedKey(key ?? ""), workspace: row.workspace, ...range }] as const]
        : [];
    }),
  );
  if (packs.size === 0) return [];
  const { results } = await mailDb(ctx)
    .prepare(FIND_SHARED_PACKS)
    .bind(JSON.stringify([...packs.values()]), numbers)
    .all<{ key: string }>();
  return results;
}

/** Returns the key of the object that holds the content of an email; null: its own. */
function keyOf({ workspace_id, content_key }: ExpiredRow): string | null {
  return content_key === null ? null : fullKey(workspace_id, content_key);
}
