import type { MailCtx } from "../../../platform/context.ts";
import { guardedBatch } from "../../../platform/db/batch.ts";
import { wakeForResults } from "../../../platform/webhook-events/wake.ts";
import { toHistory } from "../history.ts";
import { runEndedStatements } from "../webhook-events.ts";
import { type EngineLease, renewStatements } from "./lease.ts";

/** Active runs of an automation that one step resumes or ends. */
const RUNS_PER_STEP = 500;

const FIND = `
  SELECT a.n, a.workspace, a.sweep, a.sweep_after, (
    SELECT json_group_array(json_object('n', n, 'version', version)) FROM (
      SELECT r.n, r.version FROM automation_runs r
       WHERE r.automation = a.n AND r.status = 'active' AND r.n > a.sweep_after ORDER BY r.n LIMIT ?1)) AS runs
    FROM automations a WHERE a.sweep IS NOT NULL ORDER BY a.n LIMIT 1`;

// An event that a run waits for may have come while it was held.
const RESUME = `
  UPDATE automation_runs SET is_held = 0, due_at = iif(wait_event IS NULL, coalesce(wait_until, ?2), ?2)
   WHERE n IN (SELECT value FROM json_each(?1)) AND status = 'active' AND is_held = 1`;

const END = `
  UPDATE automation_runs SET status = 'exited', node = NULL, due_at = NULL, wait_until = NULL, wait_event = NULL, is_held = 0,
    intent = NULL, history = history || ?3, ended_at = ?2
   WHERE n IN (SELECT value FROM json_each(?1)) AND status = 'active' RETURNING version`;

const COUNT_EXITED = `
  INSERT INTO automation_counts (version, step, workspace, runs)
  SELECT r.version, 'exited', r.workspace, count(*) FROM automation_runs r
   WHERE r.n IN (SELECT value FROM json_each(?1)) AND r.status = 'active' GROUP BY r.version
  ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`;

const PASS = "UPDATE automations SET sweep_after = ?2, sweep = iif(?3, NULL, sweep) WHERE n = ?1 AND sweep = ?4";

interface Sweep {
  n: number;
  sweep: "resume" | "end";
  runs: string;
}

/**
 * Does the next part of what is to be done to all active runs of an automation: they go on once it is active again, or end when it is
 * archived. Returns false when no automation has such work. Throws ConcurrencyError when the lease was lost.
 */
export async function sweepRuns(ctx: MailCtx, lease: EngineLease): Promise<boolean> {
  const db = ctx.mail;
  const found = await db.prepare(FIND).bind(RUNS_PER_STEP).first<Sweep>();
  if (!found) return false;
  const numbers = (JSON.parse(found.runs) as { n: number }[]).map(({ n }) => n);
  const json = JSON.stringify(numbers);
  const line = toHistory([{ at: ctx.now(), step: null, text: "Left: the automation was archived." }]);
  const changes =
    found.sweep === "resume"
      ? [db.prepare(RESUME).bind(json, ctx.now())]
      : [db.prepare(COUNT_EXITED).bind(json), db.prepare(END).bind(json, ctx.now(), line)];
  const ended =
    found.sweep === "end"
      ? runEndedStatements(
          ctx,
          numbers.map((n) => ({ n, status: "exited" })),
        )
      : [];
  const isLast = numbers.length < RUNS_PER_STEP;
  const results = await guardedBatch(db, [
    ...ended,
    ...renewStatements(ctx, lease),
    ...(numbers.length > 0 ? changes : []),
    db.prepare(PASS).bind(found.n, isLast ? 0 : (numbers.at(-1) ?? 0), Number(isLast), found.sweep),
  ]);
  await wakeForResults(ctx, results.slice(0, ended.length));
  return true;
}
