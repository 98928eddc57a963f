import type { CallerCtx } from "../../../access/caller.ts";
import { auditIfChangedStatement } from "../../../platform/audit/record.ts";
import { onShardOf } from "../../../platform/jobs/shards.ts";
import { beginDailyCount, dailyLimitOf } from "../../../platform/rate-limits/daily-emails.ts";
import { getAnyWorkspace, type WorkspaceRow } from "./queries.ts";

const SET = "UPDATE workspaces SET daily_limit = ?2 WHERE number = ?1 AND deleted_at IS NULL AND daily_limit IS NOT ?2";

/**
 * Sets the emails that a workspace may have accepted in a day: 0 for no limit, null for the limit of the deployment. The next request keeps
 * it, a broadcast that waits within the hour. Emails of before count today. A repeated call changes no limit. Throws 404.
 */
export async function setDailyLimit(ctx: CallerCtx, id: string, limit: number | null): Promise<WorkspaceRow> {
  const { number, id: target, name, dailyLimit } = await getAnyWorkspace(ctx, id);
  const entry = { action: "workspace.limited", target, detail: { name, from: dailyLimit, to: limit } } as const;
  // Nothing changes when it has this limit already, or was deleted meanwhile.
  await ctx.db.batch([
    ctx.db.prepare(SET).bind(number, limit),
    auditIfChangedStatement({ ...ctx, workspace: { number } }, entry),
  ]);
  const row = await getAnyWorkspace(ctx, target);
  // Also after a repeated call: the first one may have failed here.
  const mailCtx = dailyLimitOf(ctx, row) === null ? null : await onShardOf(ctx, number);
  if (mailCtx) await beginDailyCount(mailCtx, number);
  return row;
}
