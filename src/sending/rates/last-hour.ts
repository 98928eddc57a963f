import { HOUR_MS } from "../../lib/time.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { WorkspaceStep } from "../../platform/jobs/workspace-steps.ts";
import { baselineUntil, countsSince, type HourCounts, NO_RATE_COUNTS, type RateCounts, sumRates } from "./rules.ts";

const CLOSED = "coalesce((SELECT hour FROM rollups_closed), -1)";
const sumOf = (counter: string) => `sum(iif(r.domain = '', 0, ${counter}))`;

// The hour before is read from its sums, in the first minutes of an hour by recipient domain. So a row of the current hour is read
// twelve times: rows read for an email cost a fiftieth of what its rows written do.
const FIND_COUNTS = `
  SELECT t.workspace, t.hour, t.sent + t.refused AS sent, t.bounced, t.soft_bounced AS softBounced, t.complained
    FROM shard_workspaces w CROSS JOIN rollups_totals t ON t.workspace = w.number AND t.hour = ?1
   WHERE w.number BETWEEN ?3 AND ?4 AND ?1 <= ${CLOSED}
  UNION ALL
  SELECT r.workspace, r.hour, ${sumOf("r.sent + r.refused")}, ${sumOf("r.bounced")}, ${sumOf("r.soft_bounced")}, ${sumOf("r.complained")}
    FROM shard_workspaces w CROSS JOIN rollups_hourly r
      ON r.workspace = w.number AND r.hour BETWEEN max(?1, ${CLOSED} + 1) AND ?2
   WHERE w.number BETWEEN ?3 AND ?4 GROUP BY r.workspace, r.hour`;

const FIND_BASELINE = `
  SELECT at, counts FROM rate_snapshots WHERE first = ?1 AND at BETWEEN ?2 AND ?3 ORDER BY at DESC LIMIT 1`;
const FIND_NEXT = "SELECT at, counts FROM rate_snapshots WHERE first = ?1 AND at >= ?2 ORDER BY at LIMIT 1";

const SAVE = `
  INSERT INTO rate_snapshots (at, first, counts, last_hour) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT DO UPDATE SET counts = excluded.counts, last_hour = excluded.last_hour`;

/** The counts of a row, by number of the workspace. */
type StoredCounts = Record<string, RateCounts>;

interface Snapshot {
  at: number;
  counts: StoredCounts;
}

/** Counts of the workspaces of a step. */
export interface LastHour {
  /** Counts of this hour and the one before, by number of the workspace. */
  hours: ReadonlyMap<number, readonly HourCounts[]>;
  /** Counts of the last 60 minutes by number of the workspace. */
  counts: ReadonlyMap<number, RateCounts>;
  /** When the 60 minutes begin, in milliseconds since 1970. */
  since: number;
}

/** Reads the counts of the last 60 minutes of the workspaces of a step: what was counted since the snapshot of an hour ago. */
export async function readLastHour(ctx: MailCtx, { first, last }: WorkspaceStep, now: number): Promise<LastHour> {
  const db = ctx.mail;
  const hour = hourOf(now);
  const previous = (hour - 1) * HOUR_MS;
  const [rows, [newest]] = await db.listEach<[RateCounts & { workspace: number; hour: number }, SnapshotRow]>([
    db.prepare(FIND_COUNTS).bind(hour - 1, hour, first, last),
    db.prepare(FIND_BASELINE).bind(first, previous, baselineUntil(now)),
  ]);
  const baseline = newest ? toSnapshot(newest) : null;
  const byWorkspace = Map.groupBy(rows, ({ workspace }) => workspace);
  const hours = new Map([...byWorkspace].map(([workspace, of]) => [workspace, of.map(toHourCounts)]));
  const counts = [...hours].map(([workspace, of]) => [workspace, since(of, hour, baseline, workspace)] as const);
  return { hours, counts: new Map(counts), since: baseline?.at ?? previous };
}

/**
 * Returns what a workspace has counted since its first snapshot after a time; null when that is too new to have one. `at` is in
 * milliseconds since 1970, in the last two hours.
 */
export async function readSince(
  ctx: MailCtx,
  { first }: WorkspaceStep,
  { hours }: LastHour,
  { workspace, at, now }: { workspace: number; at: number; now: number },
): Promise<{ counts: RateCounts; since: number } | null> {
  const row = await ctx.mail.findRow<SnapshotRow>(FIND_NEXT, first, at);
  if (!row) return null;
  const snapshot = toSnapshot(row);
  return { counts: since(hours.get(workspace) ?? [], hourOf(now), snapshot, workspace), since: snapshot.at };
}

/** Stores the counts of this hour, by which later runs know those of their last 60 minutes. Writes nothing where nothing was sent. */
export async function saveSnapshot(
  ctx: MailCtx,
  { first }: WorkspaceStep,
  { hours, counts }: LastHour,
  now: number,
): Promise<void> {
  if (hours.size === 0) return;
  const hour = hourOf(now);
  const stored: StoredCounts = {};
  for (const [workspace, of] of hours) {
    const current = of.find((one) => one.hour === hour);
    if (current) stored[workspace] = current.counts;
  }
  const sums = sumRates([...counts.values()]);
  await ctx.mail.execute(SAVE, now, first, JSON.stringify(stored), JSON.stringify(sums));
}

interface SnapshotRow {
  at: number;
  counts: string;
}

const toSnapshot = ({ at, counts }: SnapshotRow): Snapshot => ({ at, counts: JSON.parse(counts) as StoredCounts });

const hourOf = (at: number) => Math.floor(at / HOUR_MS);

const toHourCounts = ({ hour, sent, bounced, softBounced, complained }: RateCounts & { hour: number }): HourCounts => ({
  hour,
  counts: { sent, bounced, softBounced, complained },
});

function since(hours: readonly HourCounts[], hour: number, baseline: Snapshot | null, workspace: number): RateCounts {
  const counts = baseline?.counts[workspace] ?? NO_RATE_COUNTS;
  return countsSince(hours, hour, baseline && { hour: hourOf(baseline.at), counts });
}
