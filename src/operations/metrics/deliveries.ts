import { forEachAtOnce } from "../../lib/at-once.ts";
import { withTimeout } from "../../lib/deadline.ts";
import type { Ctx } from "../../platform/context.ts";
import { CONCURRENT_DATABASES, onShard, shardNumbers } from "../../platform/jobs/shards.ts";
import { type RateCounts, sumRates } from "../../sending/rates/index.ts";

/** A database that takes longer has no metrics, in milliseconds. */
const TIMEOUT_MS = 5_000;
/** Workspaces of one database whose deliveries are summed, and endpoints of webhooks that are read: a seek for each. */
const MAX_READ = 5_000;

/** Rates that no run has measured for this long are not shown, in milliseconds. */
const RATES_OLD_MS = 15 * 60_000;

/** Outcomes of recipients in an hour that ended, by the columns of rollups_totals (docs/contract/analytics.md#counts). */
export const OUTCOMES = [
  ...(["sent", "delivered", "bounced", "soft_bounced", "failed"] as const),
  ...(["unsent", "refused", "deferred", "complained"] as const),
] as const;

// The column `sent` has no recipients that were refused at once.
const sumOf = (outcome: (typeof OUTCOMES)[number]) =>
  `ifnull(sum(${outcome === "sent" ? "t.sent + t.refused" : `t.${outcome}`}), 0) AS ${outcome}`;

// By the key of rollups_totals, which begins with the workspace.
const LAST_HOUR = `
  SELECT (SELECT hour FROM rollups_closed) AS hour, ${OUTCOMES.map(sumOf).join(", ")}
    FROM (SELECT number FROM shard_workspaces ORDER BY number LIMIT ?1) w
    CROSS JOIN rollups_totals t ON t.workspace = w.number AND t.hour = (SELECT hour FROM rollups_closed)`;

// One row for each 500 workspaces, of the last run only.
const LAST_60_MINUTES = `
  SELECT last_hour AS counts FROM rate_snapshots WHERE at = (SELECT max(at) FROM rate_snapshots) AND at >= ?1`;

// By the partial index of endpoints that have work.
const WEBHOOKS = `
  SELECT ifnull(sum(pending + retrying), 0) AS waiting, min(due_at) AS oldestAt
    FROM (SELECT pending, retrying, due_at FROM webhook_endpoints WHERE due_at IS NOT NULL ORDER BY due_at LIMIT ?1)`;

/** Metrics of one mail database. */
export interface Deliveries {
  database: number;
  /** Recipients by outcome in the last hour that was summed; hours since 1970, null before the first one. */
  lastHour: Record<(typeof OUTCOMES)[number], number> & { hour: number | null };
  /** Recipients in the 60 minutes before the last check of rates. */
  last60Minutes: RateCounts;
  /** Deliveries of webhooks that wait, for their turn or a retry. */
  webhooksWaiting: number;
  /** When the first endpoint of them is or was due, in milliseconds since 1970. Null: none waits. */
  webhooksDueAt: number | null;
}

/** Reads the metrics of all mail databases, CONCURRENT_DATABASES at once. One that fails is left out. Never throws. */
export async function readDeliveries(ctx: Ctx): Promise<Deliveries[]> {
  const found: Deliveries[] = [];
  await forEachAtOnce(CONCURRENT_DATABASES, shardNumbers(ctx), async (database) => {
    const metrics = await withTimeout(TIMEOUT_MS, readShard(ctx, database)).catch(() => null);
    if (metrics) found.push(metrics);
  });
  return found.sort((a, b) => a.database - b.database);
}

async function readShard(ctx: Ctx, database: number): Promise<Deliveries | null> {
  const { outbox: db } = onShard(ctx, database);
  type Waiting = { waiting: number; oldestAt: number | null };
  const [[lastHour], [waiting], rates] = await db.listEach<[Deliveries["lastHour"], Waiting, { counts: string }]>([
    db.prepare(LAST_HOUR).bind(MAX_READ),
    db.prepare(WEBHOOKS).bind(MAX_READ),
    db.prepare(LAST_60_MINUTES).bind(ctx.now() - RATES_OLD_MS),
  ]);
  if (!lastHour || !waiting) return null;
  const last60Minutes = sumRates(rates.map(({ counts }) => JSON.parse(counts) as RateCounts));
  return { database, lastHour, last60Minutes, webhooksWaiting: waiting.waiting, webhooksDueAt: waiting.oldestAt };
}
