import type { MailCtx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { mayExecute } from "../db/count-statements.ts";
import { peopleFlags } from "../db/people-flags.ts";
import { readActivityStatement } from "../db/shard-workspaces.ts";
import { onShard } from "../jobs/shards.ts";
import { CLAIM_ROWS, claimRows, type Lease, newLease, releaseStatement, type WakeUp } from "../outbox/index.ts";
import { broadcastIdSql } from "./email-events.ts";
import { wakeForNewEvents } from "./wake.ts";

/** Events of one page. The data of each has up to 16 KiB, so a page stays below the size of a bound parameter. */
const EVENTS_PER_PAGE = 100;
/** A run starts no further page after so many milliseconds: half a lease. */
const RUN_MS = 60_000;
/** D1 statements of a page with its claim. */
const PAGE_STATEMENTS = 12;

// An erasure begins two minutes after its row (docs/contract/people.md#erasure), so one that is not here yet meets no page of this run.
const FIND_WORKSPACE = `
  SELECT mail_shards AS mailShards, people,
         (SELECT json_group_array(email) FROM erasures WHERE workspace = ?1 AND finished_at IS NULL) AS erased
    FROM workspaces WHERE number = ?1`;

/**
 * Moves events of workspaces into their first mail databases, in pages. A page is inserted there before it is deleted here, and an event
 * that exists there is not inserted again, so a run may be killed at any point. Throws when a page failed: the lease then expires, and
 * the next sweep finds the row.
 */
export async function copyEvents(ctx: MailCtx, wakeUps: readonly WakeUp[]): Promise<void> {
  const until = ctx.now() + RUN_MS;
  for (const wakeUp of wakeUps.slice(0, CLAIM_ROWS)) {
    if (ctx.now() >= until || !mayExecute(ctx, PAGE_STATEMENTS)) return;
    const lease = newLease(ctx);
    const [row] = await claimRows(ctx, [wakeUp], lease);
    if (!row) continue;
    const [workspace] = JSON.parse(row.ref) as [number];
    const isDone = (await copyPages(ctx, workspace, until)) && (await finish(ctx, lease, row.id, workspace));
    if (isDone) continue;
    const dueAt = ctx.now();
    await releaseStatement(ctx, lease, [row.id], dueAt).run();
    await ctx.wake([{ dueAt, id: row.id, kind: "events" }]);
  }
}

/** Copies pages until none is left (true) or the time is over (false). */
async function copyPages(ctx: MailCtx, workspace: number, until: number): Promise<boolean> {
  const row = await ctx.db
    .prepare(FIND_WORKSPACE)
    .bind(workspace)
    .first<{ mailShards: string; people: number; erased: string }>();
  const first = row && (JSON.parse(row.mailShards) as number[]).at(-1);
  if (first === ctx.shard) return keepHere(ctx, workspace);
  // A deleted workspace has no place for its events.
  const target = first === undefined || first === null ? null : onShard(ctx, first);
  const isKept = target !== null && (await readFlags(ctx, target, workspace, row?.people ?? 0));
  const erased = new Set(JSON.parse(row?.erased ?? "[]") as string[]);
  do {
    const page = await findPage(ctx, workspace);
    if (page.length === 0) return true;
    const kept = page.filter(({ emailKey }) => !erased.has(emailKey));
    if (isKept && (await insertPage(target, kept)) > 0) await wakeForNewEvents(target);
    await mailDb(ctx)
      .prepare("DELETE FROM events WHERE n IN (SELECT value FROM json_each(?1)) AND copying IS NOT NULL")
      .bind(JSON.stringify(page.map(({ n }) => n)))
      .run();
  } while (ctx.now() < until && mayExecute(ctx, PAGE_STATEMENTS));
  return false;
}

const CLEAR_PLACE = `
  UPDATE shard_workspaces SET people = people & ~${peopleFlags.elsewhere | peopleFlags.activityUnread}
   WHERE number = ?1 AND people & ${peopleFlags.elsewhere}`;
const KEEP = `
  UPDATE events SET copying = NULL
   WHERE n IN (SELECT n FROM events WHERE workspace = ?1 AND copying IS NOT NULL ORDER BY n LIMIT 1000)`;

/** Keeps events in this database, which has become the first of the workspace since. Returns true when none is left. */
async function keepHere(ctx: MailCtx, workspace: number): Promise<boolean> {
  const db = mailDb(ctx);
  const [, kept] = await db.batch([db.prepare(CLEAR_PLACE).bind(workspace), db.prepare(KEEP).bind(workspace)]);
  await wakeForNewEvents(ctx);
  return (kept?.meta.changes ?? 0) < 1000;
}

// A call that sets flags meanwhile clears the bit `unread`, so that this changes nothing.
const READ_FLAGS = `
  UPDATE shard_workspaces SET people = ${peopleFlags.elsewhere} | (?2 & ${peopleFlags.events}) | (people & ${peopleFlags.activityUnread})
   WHERE number = ?1 AND people & ${peopleFlags.unread}`;
const IS_ACTIVITY_UNREAD = `SELECT people & ${peopleFlags.activityUnread} AS isUnread FROM shard_workspaces WHERE number = ?1`;
const FIND_ACTIVITY = "SELECT activity_since FROM shard_workspaces WHERE number = ?1";

/**
 * Gives this database what it has not read yet: the flags of the main one, and whether the first mail database keeps activity. Returns
 * whether the events are kept.
 */
async function readFlags(ctx: MailCtx, first: MailCtx, workspace: number, people: number): Promise<boolean> {
  const db = mailDb(ctx);
  const [flags, activity] = await db.batch<{ isUnread: number }>([
    db.prepare(READ_FLAGS).bind(workspace, people),
    db.prepare(IS_ACTIVITY_UNREAD).bind(workspace),
  ]);
  if (activity?.results[0]?.isUnread) {
    const since = await mailDb(first).prepare(FIND_ACTIVITY).bind(workspace).first<number | null>("activity_since");
    await readActivityStatement(ctx, workspace, since).run();
  }
  return flags?.meta.changes === 0 || (people & peopleFlags.events) !== 0;
}

interface EventRow {
  n: number;
  workspace: number;
  id: string;
  emailKey: string;
  name: string;
  data: string;
  occurredAt: number;
  createdAt: number;
}

const FIND_PAGE = `
  SELECT n, workspace, id, email_key AS emailKey, name, data, occurred_at AS occurredAt, created_at AS createdAt FROM events
   WHERE workspace = ?1 AND copying IS NOT NULL ORDER BY n LIMIT ?2`;

async function findPage(ctx: MailCtx, workspace: number): Promise<EventRow[]> {
  return (await mailDb(ctx).prepare(FIND_PAGE).bind(workspace, EVENTS_PER_PAGE).all<EventRow>()).results;
}

// An event of an email of a broadcast has the number of it, which only this database knows.
const INSERT_PAGE = `
  WITH j AS MATERIALIZED (
    SELECT key AS position, value->>'workspace' AS workspace, value->>'id' AS id, value->>'emailKey' AS email_key, value->>'name' AS name,
           value->>'data' AS data, value->>'occurredAt' AS occurred_at, value->>'createdAt' AS created_at FROM json_each(?1))
  INSERT OR IGNORE INTO events (workspace, id, email_key, name, data, occurred_at, created_at)
  SELECT workspace, id, email_key, name,
         CASE json_type(data, '$.broadcast_id') WHEN 'integer'
           THEN json_set(data, '$.broadcast_id', ${broadcastIdSql("j.data->>'broadcast_id'", "j.workspace")}) ELSE data END,
         occurred_at, created_at FROM j ORDER BY position`;

/** Inserts a page into the first mail database. Returns how many of its events were not there. */
async function insertPage(ctx: MailCtx, page: readonly EventRow[]): Promise<number> {
  const { meta } = await mailDb(ctx).prepare(INSERT_PAGE).bind(JSON.stringify(page)).run();
  return meta.changes;
}

const FINISH = `
  DELETE FROM outbox WHERE due_at = ?1 AND id = ?2 AND token = ?3
     AND NOT EXISTS (SELECT 1 FROM events WHERE workspace = ?4 AND copying IS NOT NULL)`;

/** Deletes the outbox row, unless an event came since the last page was read. Returns whether it did. */
async function finish(ctx: MailCtx, lease: Lease, id: string, workspace: number): Promise<boolean> {
  const { meta } = await mailDb(ctx).prepare(FINISH).bind(lease.until, id, lease.token, workspace).run();
  return meta.changes > 0;
}
