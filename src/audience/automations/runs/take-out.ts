import { type CallerCtx, requireAllDomains } from "../../../access/caller.ts";
import { conflict } from "../../../lib/errors.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import { wakeForResults } from "../../../platform/webhook-events/wake.ts";
import { addedHistorySql, toHistory } from "../history.ts";
import { getAutomation } from "../queries.ts";
import { runEndedStatements } from "../webhook-events.ts";
import { findRun } from "./queries.ts";

const TAKE_OUT = `
  UPDATE automation_runs SET status = 'removed', node = NULL, due_at = NULL, wait_until = NULL, wait_event = NULL, is_held = 0,
    history = ${addedHistorySql("?2")}, ended_at = ?3 WHERE n = ?1 AND status = 'active'`;

// Counts what the statement before it changed.
const COUNT = `
  INSERT INTO automation_counts (version, step, workspace, runs) SELECT ?1, 'removed', ?2, 1 WHERE changes() > 0
  ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`;

/**
 * Takes a person out of an automation: no further step is done. What a step does at this moment may still happen. Throws 404 for the
 * automation or the run, 409 for one that has ended.
 */
export async function takeOut(ctx: CallerCtx, automationId: string, id: string): Promise<void> {
  requireAllDomains(ctx);
  const automation = await getAutomation(ctx, automationId);
  const run = await findRun(ctx, automation, id);
  const db = ctx.mail;
  const line = toHistory([{ at: ctx.now(), step: null, text: `Taken out by ${ctx.actor.email}.` }]);
  const ended = runEndedStatements(ctx, [{ n: run.n, status: "removed" }]);
  const results = await db.batch([
    ...ended,
    db.prepare(TAKE_OUT).bind(run.n, line, ctx.now()),
    db.prepare(COUNT).bind(run.version, automation.workspace),
  ]);
  if (results[ended.length]?.meta.changes === 0) throw conflict("The run has ended");
  await wakeForResults(ctx, results.slice(0, ended.length));
  await ctx.db.batch([auditStatement(ctx, { action: "automation.run_removed", target: run.id, detail: {} })]);
}
