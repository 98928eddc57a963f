import type { CallerCtx } from "../../../access/caller.ts";
import { conflict } from "../../../lib/errors.ts";
import { HOUR_MS } from "../../../lib/time.ts";
import { auditIfChangedStatement } from "../../../platform/audit/record.ts";
import { onShardOf } from "../../../platform/jobs/shards.ts";
import { pauseWorkspace } from "./pause.ts";
import { getAnyWorkspace, type WorkspaceRow } from "./queries.ts";

const SHUT =
  "UPDATE workspaces SET shut_at = ?2 WHERE number = ?1 AND shut_at IS NULL AND paused_by_platform_at IS NOT NULL";

// The roll-ups are written with the outcomes, so this is all that left, however old its emails are.
const LEFT = `
  SELECT domain, sum(sent) AS recipients FROM rollups_hourly WHERE workspace = ?1 AND hour >= ?2
   GROUP BY domain HAVING recipients > 0 ORDER BY recipients DESC, domain LIMIT 100`;

/** A domain of recipients, and how many of them mail left for. */
export interface LeftFor {
  domain: string;
  recipients: number;
}

/**
 * Pauses a workspace as `pauseWorkspace` does, and refuses its keys and sign-ins until it is resumed: 403 by the API and pages, 535 by SMTP
 * and IMAP. Nothing is revoked. Returns what left in the last day, the domains with the most recipients first. Throws 404, and 409 for
 * the workspace of the caller, who could not end it.
 */
export async function shutWorkspace(ctx: CallerCtx, id: string): Promise<{ row: WorkspaceRow; left: LeftFor[] }> {
  if (id.toLowerCase() === ctx.workspace.id)
    throw conflict("Your session acts in this workspace and could not resume it; shut it from another workspace");
  const { number, id: target, name } = await pauseWorkspace(ctx, id, true);
  // Nothing changes when it is shut already, or was resumed at the same moment.
  await ctx.db.batch([
    ctx.db.prepare(SHUT).bind(number, ctx.now()),
    auditIfChangedStatement({ ...ctx, workspace: { number } }, { action: "workspace.shut", target, detail: { name } }),
  ]);
  const mailCtx = await onShardOf(ctx, number);
  const since = Math.floor(ctx.now() / HOUR_MS) - 24;
  const left = (await mailCtx?.mail.listRows<LeftFor>(LEFT, number, since)) ?? [];
  return { row: await getAnyWorkspace(ctx, target), left };
}
