import { partition } from "../../lib/partition.ts";
import type { MailCtx } from "../../platform/context.ts";
import { deletedRows } from "../../platform/db/byte-pages.ts";
import { fullKey, packedRange, r2Keys, storedKey } from "../../platform/db/r2-keys.ts";
import type { emails } from "../../platform/db/schema/mail/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import { type Steps, takeTurns } from "../../platform/jobs/turns.ts";
import { workspaceSteps } from "../../platform/jobs/workspace-steps.ts";
import { purgeStatement } from "../../platform/outbox/purge-statement.ts";
import { rewindContentProgressStatement } from "../../sending/emails/content/index.ts";
import { isHeldSql } from "../../sending/emails/index.ts";
import type { OwnDays } from "./own-days.ts";
import { emailCutoff, ROWS_PER_STEP } from "./rules.ts";

// The oldest emails come first. Scheduled and queued emails never expire, nor do those that an egress holds.
const FIND_PAGE = deletedRows(
  "emails",
  `n, id, content_key, broadcast, created_at, max(created_at, coalesce(scheduled_at, 0)) < ?4
     AND status NOT IN ('scheduled', 'queued') AND NOT (status = 'sent' AND ${isHeldSql("recipients")}) AS is_expired`,
  "WHERE workspace = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);

// One seek for each workspace.
const FIND_WORKSPACES = `
  SELECT w.number, w.id, (SELECT e.created_at FROM emails e WHERE e.workspace = w.number ORDER BY e.id LIMIT 1) AS oldest
    FROM shard_workspaces w WHERE w.number BETWEEN ?1 AND ?2`;

// A new email may have got the number of one that a purge has deleted meanwhile.
const IS_EXPIRED = "n IN (SELECT value FROM json_each(?1)) AND created_at < ?2";

// The emails of a batch share an R2 object and have neighbouring n; the object is deleted with the last of them.
const FIND_SHARED = `
  SELECT j.value->>'key' AS key FROM json_each(?1) j WHERE EXISTS (
    SELECT 1 FROM emails e WHERE e.n BETWEEN j.value->>'first' AND j.value->>'last'
      AND e.content_key IN (j.value->>'key', j.value->>'storedKey') AND e.n NOT IN (SELECT value FROM json_each(?2)))`;

/** Greatest number of emails that share an R2 object (limits.batch). */
const MAX_BATCH = 500;

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

interface PageRow extends StoredColumns<typeof emails, "n" | "id" | "content_key" | "broadcast" | "created_at"> {
  is_expired: 0 | 1;
  found: number;
}

/** A workspace with the time before which its emails are expired, in milliseconds since 1970. */
interface Workspace {
  number: number;
  id: string;
  cutoff: number;
}

/**
 * Deletes the emails that workspaces no longer keep, the oldest of each first and the workspaces in turns. One transaction per step deletes
 * rows and index entries and adds an outbox row that deletes the R2 objects. Safe to interrupt and to run concurrently.
 */
export async function* deleteExpiredEmails(ctx: MailCtx, ownDays: OwnDays): Steps {
  const now = ctx.now();
  const expired: (Workspace & { oldest: number })[] = [];
  for (const { first, last } of await workspaceSteps(ctx)) {
    type Found = { number: number; id: string; oldest: number | null };
    for (const { number, id, oldest } of await ctx.mail.listRows<Found>(FIND_WORKSPACES, first, last)) {
      const cutoff = emailCutoff(now, ownDays.get(number) ?? ctx.settings.retentionDays);
      if (oldest !== null && oldest < cutoff) expired.push({ number, id, cutoff, oldest });
    }
    yield;
  }
  // The next invocation begins with those that had no turn in this one.
  const mostOverdueFirst = expired.toSorted((a, b) => a.oldest - a.cutoff - (b.oldest - b.cutoff));
  yield* takeTurns(mostOverdueFirst.map((workspace) => deleteOf(ctx, workspace)));
}

/** Deletes the expired emails of a workspace, a page in each step. Unfinished ones among them are passed. */
async function* deleteOf(ctx: MailCtx, workspace: Workspace): Steps {
  for (let after = ""; ; ) {
    const values = [workspace.number, after, ROWS_PER_STEP, workspace.cutoff];
    const results = await ctx.mail.listRows<PageRow>(FIND_PAGE, ...values);
    const isExpired = ({ is_expired }: PageRow) => is_expired === 1;
    await deleteEmails(ctx, workspace, results.filter(isExpired));
    const last = results.at(-1);
    const isEnd = last?.found === results.length && last.found < ROWS_PER_STEP;
    if (!last || isEnd || last.created_at >= workspace.cutoff) return;
    after = last.id;
    yield;
  }
}

async function deleteEmails(ctx: MailCtx, workspace: Workspace, expired: readonly PageRow[]): Promise<void> {
  const [first] = expired;
  if (!first) return;
  const db = ctx.mail;
  const numbers = JSON.stringify(expired.map(({ n }) => n));
  const singles = expired.filter(({ content_key }) => content_key === null);
  const others = expired.filter(({ content_key }) => content_key !== null);
  const shared = Map.groupBy(others, ({ content_key }) => fullKey(workspace.id, content_key ?? ""));
  const keptKeys = await findKeptKeys(ctx, workspace, shared, numbers);
  const keys = [
    ...singles.map(({ id }) => r2Keys.email(workspace.id, id)),
    ...[...shared.keys()].filter((key) => !keptKeys.has(key)),
  ];
  const broadcasts = JSON.stringify(broadcastsOf(workspace, expired));
  await db.batch([
    db
      .prepare(`DELETE FROM email_search WHERE rowid IN (SELECT n FROM emails WHERE ${IS_EXPIRED})`)
      .bind(numbers, workspace.cutoff),
    db.prepare(`DELETE FROM emails WHERE ${IS_EXPIRED}`).bind(numbers, workspace.cutoff),
    db.prepare(DELETE_PAGES).bind(broadcasts, Math.max(...expired.map(({ n }) => n))),
    rewindContentProgressStatement(ctx),
    ...(keys.length > 0 ? [purgeStatement(ctx, [{ id: first.id, purge: { keys } }])] : []),
  ]);
}

/** Returns the keys of objects of several emails that emails outside of `numbers` name too, those of their broadcasts included. */
async function findKeptKeys(
  ctx: MailCtx,
  workspace: Workspace,
  shared: ReadonlyMap<string, readonly PageRow[]>,
  numbers: string,
): Promise<ReadonlySet<string>> {
  if (shared.size === 0) return new Set();
  const db = ctx.mail;
  const [packs, others] = partition([...shared], ([key]) => packedRange(key) !== null);
  const { number } = workspace;
  const packRows = packs.map(([key]) => ({ ...packedRange(key), key, storedKey: storedKey(key), workspace: number }));
  const otherRows = others.map(([key, emails]) => {
    const of = emails.map(({ n }) => n);
    return { key, storedKey: storedKey(key), first: Math.min(...of) - MAX_BATCH, last: Math.max(...of) + MAX_BATCH };
  });
  const all = [...shared.values()].flat();
  type Key = { key: string };
  const [ofPacks, ofOthers, ofBroadcasts] = await db.listEach<[Key, Key, { broadcast: number }]>([
    db.prepare(FIND_SHARED_PACKS).bind(JSON.stringify(packRows), numbers),
    db.prepare(FIND_SHARED).bind(JSON.stringify(otherRows), numbers),
    db.prepare(FIND_BROADCASTS).bind(JSON.stringify(broadcastsOf(workspace, all)), numbers),
  ]);
  const broadcasts = new Set(ofBroadcasts.map(({ broadcast }) => broadcast));
  return new Set([
    ...[...ofPacks, ...ofOthers].map(({ key }) => key),
    ...[...shared].flatMap(([key, emails]) => (emails.some((one) => broadcasts.has(one.broadcast ?? -1)) ? [key] : [])),
  ]);
}

/** Returns the broadcasts of emails, as statements read them. */
const broadcastsOf = ({ number }: Workspace, emails: readonly PageRow[]) =>
  [...new Set(emails.flatMap(({ broadcast }) => broadcast ?? []))].map((broadcast) => ({
    workspace: number,
    broadcast,
  }));
