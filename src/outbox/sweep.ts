import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { SWEEP_AHEAD_MS, SWEEP_ROWS } from "./rules.ts";
import type { WakeUp, WorkKind } from "./wake.ts";

// A held row is not due before its lease ends.
const FIND_DUE = `
  SELECT due_at AS dueAt, id, kind FROM outbox
   WHERE due_at <= ?1 AND (token IS NULL OR due_at <= ?2) ORDER BY due_at LIMIT ?3`;

/**
 * Wakes what is due and, with a delay, what falls due within the minute. Run each minute by cron, this alone
 * would deliver everything: queue messages only make it sooner. Answers the due rows that the queue would
 * not take; whoever runs the sweep does their work itself.
 */
export async function sweep(ctx: Ctx): Promise<WakeUp[]> {
  const now = ctx.now();
  const { results } = await mailDb(ctx)
    .prepare(FIND_DUE)
    .bind(now + SWEEP_AHEAD_MS, now, SWEEP_ROWS)
    .all<{ dueAt: number; id: string; kind: WorkKind }>();
  const bySeconds = Map.groupBy(results, ({ dueAt }) => Math.max(0, Math.ceil((dueAt - now) / 1000)));
  const left: WakeUp[] = [];
  for (const [seconds, rows] of bySeconds) {
    const taken = await ctx.wake(rows, seconds);
    if (!taken && seconds === 0) left.push(...rows);
  }
  return left;
}
