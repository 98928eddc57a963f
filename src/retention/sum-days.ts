import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { daysToSum } from "./rules.ts";

/** Workspaces one statement sums up. */
const WORKSPACES = 500;
/** Days one run sums up: after a long outage the next runs catch up. */
const DAYS = 14;

// A roll-up is written at the hour of its flush, so a day that is over does not change any more.
const SUM_DAY = `
  INSERT INTO rollups_daily (workspace, day, domain, sent, delivered, bounced, failed, opens, clicks)
  SELECT r.workspace, ?1, r.domain, sum(r.sent), sum(r.delivered), sum(r.bounced), sum(r.failed), sum(r.opens), sum(r.clicks)
    FROM workspaces w CROSS JOIN rollups_hourly r ON r.workspace = w.number AND r.hour >= ?1 * 24 AND r.hour < (?1 + 1) * 24
   WHERE w.number > ?2 AND w.number <= ?3 GROUP BY r.workspace, r.domain
  ON CONFLICT DO UPDATE SET sent = excluded.sent, delivered = excluded.delivered, bounced = excluded.bounced,
    failed = excluded.failed, opens = excluded.opens, clicks = excluded.clicks`;

const FIRST_DAY = "SELECT min(hour) / 24 - 1 AS day FROM rollups_hourly";

/** Sums up roll-ups by day, each day once it is over (in UTC). Safe to be killed anywhere: a day is summed up anew. */
export async function sumDays(ctx: Ctx): Promise<void> {
  const db = mailDb(ctx);
  const known = await db.prepare("SELECT day FROM rollups_progress").first<{ day: number }>();
  const last = known ?? (await db.prepare(FIRST_DAY).first<{ day: number | null }>());
  if (last?.day === null || last?.day === undefined) return;
  const most = await ctx.db.prepare("SELECT max(number) AS number FROM workspaces").first<{ number: number | null }>();
  for (const day of daysToSum(last.day, ctx.now()).slice(0, DAYS)) {
    for (let from = 0; from < (most?.number ?? 0); from += WORKSPACES) {
      await db
        .prepare(SUM_DAY)
        .bind(day, from, from + WORKSPACES)
        .run();
    }
    await db
      .prepare("INSERT INTO rollups_progress (id, day) VALUES (1, ?1) ON CONFLICT DO UPDATE SET day = max(day, ?1)")
      .bind(day)
      .run();
  }
}
