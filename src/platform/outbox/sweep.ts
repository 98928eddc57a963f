import type { DatabaseKind, OutboxCtx, Statement, WakeUp } from "../context.ts";
import { LOW_PRIORITY_RUNS, OVERDUE_MS, SWEEP_AHEAD_MS, SWEEP_ROWS } from "./rules.ts";
import { ALL_TURNS, dueRows, WAITING_BROADCASTS } from "./turns.ts";

// A run of a low-priority row goes on with all others, so a few are enough.
const FIND_DUE = `
  WITH RECURSIVE ${ALL_TURNS}, ${dueRows("due_at <= ?1", "leased_until <= ?2", "?3")}, ${WAITING_BROADCASTS}
  SELECT * FROM (
    SELECT o.due_at AS dueAt, o.id, o.kind FROM due d CROSS JOIN outbox o ON o.id = d.id ORDER BY d.turn, o.due_at LIMIT ?3)
  UNION ALL
  SELECT * FROM (
    SELECT o.due_at, o.id, o.kind FROM waiting w CROSS JOIN outbox o ON o.id = (
      SELECT id FROM outbox WHERE broadcast = w.broadcast AND due_at <= ?2 AND leased_until <= ?2 ORDER BY due_at LIMIT 1) LIMIT ?4)`;

/** Result of a sweep. */
export interface Sweep {
  /**
   * Due rows that the caller must process itself: the queue refused their messages, or they are due for so long that a
   * message of an earlier sweep was lost or waits behind others.
   */
  rows: WakeUp[];
  /** Size of the database in bytes, without its free pages. */
  size: number;
  /** The first row of the read that ran in the same call. */
  also: unknown;
}

/**
 * Sends queue messages for due outbox rows, in turns of workspaces, and delayed ones for rows due within the minute. Cron runs it each
 * minute, so a lost queue message delays mail by up to a minute. `also` is a read that runs in the same D1 call.
 */
export async function sweep<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  also: Statement<NoInfer<Kind>> | null = null,
): Promise<Sweep> {
  const now = ctx.now();
  const find = ctx.outbox.prepare(FIND_DUE).bind(now + SWEEP_AHEAD_MS, now, SWEEP_ROWS, LOW_PRIORITY_RUNS);
  const [found, other] = await ctx.outbox.batch<WakeUp>(also ? [find, also] : [find]);
  const results = found?.results ?? [];
  const bySeconds = Map.groupBy(results, ({ dueAt }) => Math.max(0, Math.ceil((dueAt - now) / 1000)));
  const rows = results.filter(({ dueAt }) => dueAt <= now - OVERDUE_MS);
  for (const [seconds, due] of bySeconds) {
    const isQueued = await ctx.wake(due, seconds);
    if (!isQueued && seconds === 0) rows.push(...due.filter(({ dueAt }) => dueAt > now - OVERDUE_MS));
  }
  return { rows, size: found?.meta.size_after ?? 0, also: other?.results[0] };
}
