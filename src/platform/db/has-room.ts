import { MOST_COUNTED, ownerOf } from "../budgets/budget.ts";
import { budgetOf, type CountedTable, isOfMain, reasonOf } from "../budgets/spent.ts";
import type { Ctx, MainStatement } from "../context.ts";
import { refuse } from "./batch.ts";

/**
 * Returns a condition for the WHERE of an INSERT into a table: true while its owner has fewer rows than the budget allows. At the end of
 * the budget it rolls back the batch, and `guardedBatch` throws BudgetSpentError. `owner` is SQL of the owner's key, a parameter as a
 * rule; `counted` is SQL that counts its rows.
 */
export function hasRoom(table: CountedTable, owner: string, counted = countSql(table, owner)): string {
  const condition = `iif(used < most, 1, ${refuse(reasonOf(table), "used")})`;
  return `(SELECT ${condition} FROM (SELECT ${counted} AS used, ${mostSql(table, owner)} AS most))`;
}

/**
 * Returns SQL that counts the rows of an owner within the condition of their budget. It reads no more than MOST_COUNTED, or what a job has
 * counted. `now`: SQL of the time in ms since 1970, without which it throws for a budget that needs it; `besides`: a further condition.
 */
export function countSql(
  table: CountedTable,
  owner: string,
  { now, besides }: { now?: string; besides?: string } = {},
): string {
  const budget = budgetOf(table);
  if (budget.isMeasured) return `coalesce(${ofWorkspace(table, "stored", owner)}, 0)`;
  if (now === undefined && budget.where?.includes(":now")) throw new Error(`A count of ${table} needs the time`);
  const conditions = [`${ownerOf(budget).column} = ${owner}`, budget.where?.replace(":now", now ?? ""), besides];
  const where = conditions.filter((condition) => condition !== undefined).join(" AND ");
  return `(SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${where} LIMIT ${MOST_COUNTED}))`;
}

/** Returns SQL of the budget of an owner: for a workspace that of the operator (`npm run admin -- workspaces budget`), if there is one. */
export function mostSql(table: CountedTable, owner: string): string {
  const budget = budgetOf(table);
  if (ownerOf(budget).kind !== "workspace") return String(budget.rows);
  return `coalesce(${ofWorkspace(table, "budgets", owner)}, ${budget.rows})`;
}

/** Returns SQL of a number about a table that the row of a workspace has: the budget of the operator, or the rows that a job has counted. */
function ofWorkspace(table: CountedTable, column: "budgets" | "stored", number: string): string {
  return `(SELECT ${column}->>'$.${table}' FROM ${isOfMain(table) ? "workspaces" : "shard_workspaces"} WHERE number = ${number})`;
}

/**
 * Returns a statement that adds the rows which the statement before it has written to what a job has counted of a table of the main
 * database. At the end of the budget it rolls back the batch, which throws BudgetSpentError.
 */
export function spendStatement({ db }: Pick<Ctx, "db">, table: CountedTable, workspace: number): MainStatement {
  const used = `coalesce(stored->>'$.${table}', 0)`;
  const most = `coalesce(budgets->>'$.${table}', ${budgetOf(table).rows})`;
  const refused = refuse(reasonOf(table), used);
  const sql = `
    UPDATE workspaces SET stored = json_set(stored, '$.${table}', iif(${used} + changes() <= ${most}, ${used} + changes(), ${refused}))
     WHERE number = ?1 AND changes() > 0`;
  return db.prepare(sql).bind(workspace);
}
