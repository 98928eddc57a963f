import { dayOf } from "../../lib/time.ts";
import type { Ctx } from "../context.ts";
import { type Metrics, restoreMetrics, takeMetrics } from "./counters.ts";

/** An isolate stores its counts at most once in this time, in milliseconds: each time is a row written. */
const SAVE_AFTER_MS = 60_000;

// One row a day for all counts, so that storing them writes one row. Their names are fixed; an earlier version may have had others.
const SAVE = `
  INSERT INTO daily_figures (day, figures) VALUES (?1, ?2)
  ON CONFLICT DO UPDATE SET figures = (
    SELECT json_group_object(key, total) FROM (
      SELECT key, sum(value) AS total FROM (
        SELECT key, value FROM json_each(daily_figures.figures)
        UNION ALL SELECT key, value FROM json_each(excluded.figures)) GROUP BY key LIMIT 1000))`;

const FIND = "SELECT figures FROM daily_figures WHERE day = ?1";

/** When an isolate stored its counts last, by the binding of the main database, in milliseconds since 1970. */
const savedAt = new WeakMap<object, number>();

/**
 * Adds what this isolate has counted to the metrics of today (UTC), at most once in `afterMs`. What an isolate counted after
 * its last call is lost when it ends. Never throws: counts that could not be stored are kept for the next call.
 */
export async function saveMetrics(ctx: Ctx, afterMs = SAVE_AFTER_MS): Promise<void> {
  const { env } = ctx;
  const now = ctx.now();
  if (!env.DB) return;
  const ms = now - (savedAt.get(env.DB) ?? Number.NEGATIVE_INFINITY);
  // Below zero the clock was set back since.
  if (ms >= 0 && ms < afterMs) return;
  const metrics = takeMetrics(env);
  if (Object.values(metrics).every((count) => count === 0)) return;
  savedAt.set(env.DB, now);
  try {
    await ctx.db.execute(SAVE, dayOf(now), JSON.stringify(metrics));
  } catch (error) {
    restoreMetrics(env, metrics);
    ctx.log("figures.not-saved", { error: String(error) });
  }
}

/** Returns the metrics of today (UTC). A metric that was not counted is missing. */
export async function readDailyMetrics(ctx: Ctx): Promise<Metrics> {
  const row = await ctx.db.findRow<{ figures: string }>(FIND, dayOf(ctx.now()));
  return row ? (JSON.parse(row.figures) as Metrics) : {};
}
