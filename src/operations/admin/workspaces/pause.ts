import type { CallerCtx } from "../../../access/caller.ts";
import { notifyOwnersStatements } from "../../../notices/notifications/index.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import { expectChanges, guardedBatch, ignoreConcurrency } from "../../../platform/db/batch.ts";
import { getAnyWorkspace, type WorkspaceRow } from "./queries.ts";

const PAUSE = `
  UPDATE workspaces SET paused_by_platform_at = ?2, sending_paused_at = ifnull(sending_paused_at, ?2)
   WHERE number = ?1 AND deleted_at IS NULL AND paused_by_platform_at IS NULL`;

// A pause of the owners that began before stays.
const RESUME = `
  UPDATE workspaces SET paused_by_platform_at = NULL, shut_at = NULL,
    sending_paused_at = CASE WHEN sending_paused_at < paused_by_platform_at THEN sending_paused_at END
   WHERE number = ?1 AND deleted_at IS NULL AND paused_by_platform_at IS NOT NULL`;

/**
 * Pauses sending in a workspace for the platform, or ends that: calls that send return 403 and queued emails wait, from the next request
 * and run on, and its owners, who are notified, cannot resume it. A repeated call changes nothing. Throws 404.
 */
export async function pauseWorkspace(ctx: CallerCtx, id: string, isPaused: boolean): Promise<WorkspaceRow> {
  const found = await getAnyWorkspace(ctx, id);
  const { number, id: target, name } = found;
  if (isPaused === (found.pausedByPlatformAt !== null)) return found;
  const change = isPaused ? ctx.db.prepare(PAUSE).bind(number, ctx.now()) : ctx.db.prepare(RESUME).bind(number);
  const action = isPaused ? "workspace.paused" : "workspace.resumed";
  // Nothing changes when another request made the same change, or deleted the workspace.
  await guardedBatch(ctx.db, [
    change,
    expectChanges(ctx.db, 1),
    auditStatement({ ...ctx, workspace: { number } }, { action, target, detail: { name } }),
    ...notifyOwnersStatements(ctx, number, isPaused ? PAUSED : RESUMED),
  ]).catch(ignoreConcurrency);
  return getAnyWorkspace(ctx, target);
}

const PAUSED = {
  category: "alerts",
  severity: "error",
  title: "The platform paused sending in this workspace",
  body: "Calls that send are refused, and queued emails wait. Only the platform can end this pause.",
  href: "/emails",
} as const;
const RESUMED = {
  category: "alerts",
  severity: "info",
  title: "The platform ended its pause of sending",
  body: "Queued emails leave within ten minutes.",
  href: "/emails",
} as const;
