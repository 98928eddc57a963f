import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { getWorkspace, requireActiveWorkspace, type WorkspaceRow } from "../../identity/workspaces/index.ts";
import { forbidden } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, guardedBatch, ignoreConcurrency } from "../../platform/db/batch.ts";
import { releaseStopped, setPauseStatement } from "./rows.ts";

const RESUME = `
  UPDATE workspaces SET bulk_pause = 0, bulk_paused_at = NULL, bulk_resumed_at = ?2
   WHERE number = ?1 AND deleted_at IS NULL AND bulk_pause > 0`;

/**
 * Resumes the mail of a workspace that stopped itself. What waits leaves at once, and what is left after that within five minutes.
 * A repeated call changes nothing. Throws 404, 409 as `requireActiveWorkspace` does, 403 unless the
 * caller is an owner whose credential has all domains.
 */
export async function resumeBulk(ctx: CallerCtx, id: string): Promise<WorkspaceRow> {
  await requireActiveWorkspace(ctx, id);
  if (ctx.actor.role !== "owner") throw forbidden("Only an owner may resume the mail of the workspace");
  requireAllDomains(ctx);
  const { db, workspace } = ctx;
  await guardedBatch(db, [
    db.prepare(RESUME).bind(workspace.number, ctx.now()),
    expectChanges(db, 1),
    auditStatement(ctx, { action: "workspace.bulk_resumed", target: workspace.id }),
  ]).catch(ignoreConcurrency);
  await release(ctx);
  return getWorkspace(ctx);
}

/** Removes the copy of the pause in the mail database and makes its rows due. Never throws: the next check of the rates does it. */
async function release(ctx: CallerCtx): Promise<void> {
  try {
    await setPauseStatement(ctx, ctx.workspace.number, 0).run();
    await releaseStopped(ctx, ctx.workspace.number);
    await ctx.wake([{ dueAt: ctx.now(), id: ctx.newId(), kind: "bulk" }]);
  } catch (error) {
    ctx.log("workspace.resume.failed", { shard: ctx.shard, error: String(error) });
  }
}
