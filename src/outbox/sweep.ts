import type { Ctx, WakeUp, WorkKind } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { SWEEP_AHEAD_MS, SWEEP_ROWS } from "./rules.ts";

// A held row is not due before its lease ends.
const FIND_DUE = `
  SELECT due_at AS dueAt, id, kind FROM outbox
   WHERE due_at <= ?1 AND (token IS NULL OR due_at <= ?2) ORDER BY due_at LIMIT ?3`;

/**
 * Wakes what is due and, with a delay, what falls due within the minute. Run each minute by cron, this alone
 * would deliver everything: queue messages only make it sooner. Answers how many rows it woke.
 */
export async function sweep(ctx: Ctx): Promise<number> {
  const now = ctx.now();
  const { results } = await mailDb(ctx)
    .prepare(FIND_DUE)
    .bind(now + SWEEP_AHEAD_MS, now, SWEEP_ROWS)
    .all<{ dueAt: number; id: string; kind: WorkKind }>();
  const bySeconds = new Map<number, WakeUp[]>();
  for (const row of results) {
    const seconds = Math.max(0, Math.ceil((row.dueAt - now) / 1000));
    const rows = bySeconds.get(seconds) ?? [];
    rows.push(row);
    bySeconds.set(seconds, rows);
  }
  for (const [seconds, rows] of bySeconds) await ctx.wake(rows, seconds);
  return results.length;
}
