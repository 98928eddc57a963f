import { mainBudgets } from "../../platform/budgets/main-tables.ts";
import { budgetOf, raisedTables } from "../../platform/budgets/spent.ts";
import type { Ctx } from "../../platform/context.ts";
import { rowsSql } from "../../platform/db/has-room.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { mainWorkspaceSteps } from "../../platform/jobs/workspace-steps.ts";

const counts = raisedTables
  .filter((table) => table in mainBudgets && budgetOf(table).isMeasured)
  .map((table) => {
    const where = rowsSql(table, "workspaces.number", "CAST(?3 AS INTEGER)");
    return `'${table}', (SELECT count(*) FROM ${table} WHERE ${where})`;
  });

const COUNT = `
  WITH counted AS (SELECT number, json_object(${counts.join(", ")}) AS rows FROM workspaces WHERE number BETWEEN ?1 AND ?2)
  UPDATE workspaces SET stored = json_patch(stored, c.rows) FROM counted c
   WHERE workspaces.number = c.number AND json_patch(stored, c.rows) <> stored`;

/** Counts the rows of each workspace in the tables of the main database whose INSERT does not count them (`isMeasured`). */
export async function* countRows(ctx: Ctx): Steps {
  for (const { first, last } of await mainWorkspaceSteps(ctx)) {
    await ctx.db.execute(COUNT, first, last, ctx.now());
    yield;
  }
}
