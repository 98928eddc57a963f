import { onError } from "../../lib/errors.ts";
import { dailyKey, type Notice, notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { pausedSources } from "../../platform/bulk-pauses/rules.ts";
import type { MailCtx } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { type WorkspaceStep, workspaceSteps } from "../../platform/jobs/workspace-steps.ts";
import { type LastHour, readLastHour, readSince, saveSnapshot } from "./last-hour.ts";
import { releaseStopped, setPauseStatement } from "./rows.ts";
import { ALERTED_BOUNCES, ALERTED_COMPLAINTS, isTooHigh, pauseOf, type RateCounts, SNAPSHOT_KEPT_MS } from "./rules.ts";

const FIND_WORKSPACES = `
  SELECT number, id, bulk_pause AS pause, bulk_resumed_at AS resumedAt FROM workspaces
   WHERE number IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL`;

interface WorkspaceRow {
  number: number;
  id: string;
  pause: number;
  resumedAt: number | null;
}

/**
 * Compares bounces and complaints of the last 60 minutes with the limits, for each workspace of a mail database: its owners are
 * told once a day for each rate, and it stops itself where it is far above. Cron runs it every five minutes. Safe to interrupt and
 * to repeat: a notice has a key, and a stop is a compare-and-set.
 */
export async function* checkRates(ctx: MailCtx): Steps {
  yield* copyPauses(ctx);
  const now = ctx.now();
  for (const step of await workspaceSteps(ctx)) {
    const lastHour = await readLastHour(ctx, step, now);
    for (const suspect of await findSuspects(ctx, lastHour, now)) {
      await applyRates(ctx, step, lastHour, { ...suspect, now });
      yield;
    }
    await saveSnapshot(ctx, step, lastHour, now);
    yield;
  }
  await ctx.mail.execute("DELETE FROM rate_snapshots WHERE at < ?1", now - SNAPSHOT_KEPT_MS);
}

/** Returns the workspaces with a rate above a limit. */
async function findSuspects(ctx: MailCtx, { counts }: LastHour, now: number): Promise<WorkspaceRow[]> {
  const { bulkPause: limits } = ctx.settings;
  const numbers = [...counts].flatMap(([number, of]) =>
    pauseOf(of, limits) > 0 || rateNotices(of, now).length > 0 ? [number] : [],
  );
  if (numbers.length === 0) return [];
  return ctx.db.listRows<WorkspaceRow>(FIND_WORKSPACES, JSON.stringify(numbers));
}

/** Notifies the owners of a workspace of its rates and stops it, as far as its counts say. */
async function applyRates(
  ctx: MailCtx,
  step: WorkspaceStep,
  lastHour: LastHour,
  { number, id, pause: current, resumedAt, now }: WorkspaceRow & { now: number },
): Promise<void> {
  const counts = lastHour.counts.get(number);
  if (!counts) return;
  const notices = rateNotices(counts, now);
  if (notices.length > 0) await ctx.db.batch(notices.flatMap((notice) => notifyOwnersStatements(ctx, number, notice)));
  const isResumed = resumedAt !== null && resumedAt > lastHour.since;
  const counted = isResumed
    ? await readSince(ctx, step, lastHour, { workspace: number, at: resumedAt, now })
    : { counts, since: lastHour.since };
  if (counted === null) return;
  const pause = pauseOf(counted.counts, ctx.settings.bulkPause);
  if (pause > current) await stopWorkspace(ctx, { number, id, ...counted }, pause);
}

/** Returns the notices about the rates of a workspace in the last hour, each with a key that is new once a UTC day. Pure. */
function rateNotices({ sent, bounced, softBounced, complained }: RateCounts, now: number): Notice[] {
  const percent = (count: number, digits: number) => `${((100 * count) / sent).toFixed(digits)} %`;
  const notices: Notice[] = [];
  const allBounced = bounced + softBounced;
  if (isTooHigh(allBounced, sent, ALERTED_BOUNCES))
    notices.push({
      category: "alerts",
      severity: "warning",
      href: "/analytics",
      key: dailyKey("bounce-rate", now),
      title: `${percent(allBounced, 1)} of the last hour's emails have bounced`,
      body: `${allBounced} of ${sent} recipients have bounced in 60 minutes, ${bounced} of them since the address does not work. Above ${100 * ALERTED_BOUNCES} %, mailbox providers begin to refuse mail. Remove addresses that do not exist, and mail only people who asked for it.`,
    });
  if (isTooHigh(complained, sent, ALERTED_COMPLAINTS))
    notices.push({
      category: "alerts",
      severity: "error",
      href: "/analytics",
      key: dailyKey("complaint-rate", now),
      title: `${percent(complained, 2)} of the last hour's emails were marked as spam`,
      body: `${complained} of ${sent} recipients have complained in 60 minutes. Above ${100 * ALERTED_COMPLAINTS} %, mailbox providers begin to file mail as spam. Mail only people who asked for it, and make it easy to unsubscribe.`,
    });
  return notices;
}

/** Stopped workspaces that are read at once, and workspaces whose rows one run releases. */
const MAX_STOPPED = 10_000;
const MAX_RELEASED = 100;

const FIND_STOPPED = `
  SELECT number, bulk_pause AS pause FROM workspaces WHERE bulk_paused_at IS NOT NULL AND deleted_at IS NULL LIMIT ?1`;

const CLEAR = `
  UPDATE shard_workspaces SET bulk_pause = 0
   WHERE bulk_pause > 0 AND number NOT IN (SELECT value->>'number' FROM json_each(?1))`;
const SET = `
  WITH j AS MATERIALIZED (SELECT value->>'number' AS number, value->>'pause' AS pause FROM json_each(?1))
  UPDATE shard_workspaces SET bulk_pause = j.pause FROM j
   WHERE shard_workspaces.number = j.number AND shard_workspaces.bulk_pause <> j.pause`;

// Steps from workspace to workspace in the index, so that one with many rows hides no other.
const FIND_RESUMED = `
  WITH RECURSIVE waiting (workspace) AS (
    SELECT min(stopped) FROM outbox WHERE stopped IS NOT NULL
    UNION ALL
    SELECT (SELECT min(stopped) FROM outbox WHERE stopped > w.workspace) FROM waiting w WHERE w.workspace IS NOT NULL)
  SELECT w.workspace FROM waiting w LEFT JOIN shard_workspaces s ON s.number = w.workspace
   WHERE w.workspace IS NOT NULL AND coalesce(s.bulk_pause, 0) = 0 LIMIT ?1`;

/**
 * Copies the pauses of the main database to the mail database, and releases rows of workspaces that are not stopped any more.
 * Repairs what a crash between the two databases left; a resume that meets it takes effect by the next run.
 */
async function* copyPauses(ctx: MailCtx): Steps {
  const stopped = await ctx.db.listRows<{ number: number; pause: number }>(FIND_STOPPED, MAX_STOPPED);
  const db = ctx.mail;
  const all = JSON.stringify(stopped);
  const [, , found] = await db.listEach<[unknown, unknown, { workspace: number }]>([
    db.prepare(CLEAR).bind(all),
    db.prepare(SET).bind(all),
    db.prepare(FIND_RESUMED).bind(MAX_RELEASED),
  ]);
  for (const { workspace } of found) {
    yield;
    while (await releaseStopped(ctx, workspace)) yield;
  }
}

// The mail before an owner resumed the workspace does not stop it again.
const STOP = `
  UPDATE workspaces SET bulk_pause = ?2, bulk_paused_at = ifnull(bulk_paused_at, ?3)
   WHERE number = ?1 AND deleted_at IS NULL AND bulk_pause < ?2 AND ifnull(bulk_resumed_at, 0) <= ?4`;

/** A workspace whose rates are too high. */
interface Suspect {
  number: number;
  id: string;
  counts: RateCounts;
  /** The time from which these are counted, in milliseconds since 1970. */
  since: number;
}

/**
 * Stops a workspace in one transaction with the audit entry and the notices to its owners, then in this mail database; its other
 * ones follow by their next run. A workspace that is stopped as far already, was resumed meanwhile or is deleted stays as it is.
 */
async function stopWorkspace(ctx: MailCtx, { number, id, counts, since }: Suspect, pause: number): Promise<void> {
  const { db } = ctx;
  const now = ctx.now();
  const { sent, bounced, complained } = counts;
  const sources = pausedSources(pause);
  const detail = { sources, sent, bounced, complained };
  const service = { ...ctx, actor: null, clientIp: null, workspace: { number } };
  const results = await guardedBatch(db, [
    db.prepare(STOP).bind(number, pause, now, since),
    expectChanges(db, 1),
    auditStatement(service, { action: "workspace.bulk_paused", target: id, detail }),
    ...notifyOwnersStatements(ctx, number, toNotice(counts, sources)),
  ]).catch(onError(ConcurrencyError, () => null));
  if (!results) return;
  ctx.log("workspace.stopped", { workspace: id, ...detail });
  await setPauseStatement(ctx, number, pause).run();
}

function toNotice({ sent, bounced, complained }: RateCounts, sources: readonly string[]): Notice {
  const percent = (count: number, digits: number) => `${((100 * count) / sent).toFixed(digits)} %`;
  return {
    category: "alerts",
    severity: "error",
    href: "/settings",
    title: `Mail of this workspace is paused: ${sources.join(", ")}`,
    body: `In the last hour ${percent(bounced, 1)} of ${sent} recipients bounced and ${percent(complained, 2)} complained. Mail of these sources waits, and new calls are refused, until an owner resumes it. Other mail leaves. Remove addresses that do not exist and people who did not ask for mail first: mail that goes on like this is paused again.`,
  };
}
