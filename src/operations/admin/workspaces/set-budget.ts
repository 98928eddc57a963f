import type { CallerCtx } from "../../../access/caller.ts";
import { auditIfChangedStatement } from "../../../platform/audit/record.ts";
import type { CountedTable } from "../../../platform/budgets/spent.ts";
import { onShardOf } from "../../../platform/jobs/shards.ts";
import { getAnyWorkspace, type WorkspaceRow } from "./queries.ts";

const SET = `
  UPDATE workspaces SET budgets = json_patch(budgets, json_object(?2, ?3))
   WHERE number = ?1 AND deleted_at IS NULL AND budgets->>('$.' || ?2) IS NOT ?3`;

const COPY = `
  INSERT INTO shard_workspaces (number, id, status, budgets) VALUES (?1, ?2, 'open', ?3)
  ON CONFLICT DO UPDATE SET budgets = excluded.budgets`;

/**
 * Sets how many rows of a table a workspace may have; null: the default (docs/contract/limits.md#budgets). It holds from the next call
 * on. A repeated call changes nothing. Throws 404.
 */
export async function setBudget(
  ctx: CallerCtx,
  id: string,
  table: CountedTable,
  rows: number | null,
): Promise<WorkspaceRow> {
  const { number, id: target, name, budgets } = await getAnyWorkspace(ctx, id);
  const detail = { name, of: table, from: budgets[table] ?? null, to: rows };
  await ctx.db.batch([
    ctx.db.prepare(SET).bind(number, table, rows),
    auditIfChangedStatement({ ...ctx, workspace: { number } }, { action: "workspace.budget_set", target, detail }),
  ]);
  const row = await getAnyWorkspace(ctx, target);
  // Also after a repeated call: the first one may have failed here.
  const mailCtx = await onShardOf(ctx, number);
  await mailCtx?.mail.execute(COPY, number, target, JSON.stringify(row.budgets));
  return row;
}
