import { MOST_COUNTED, ownerOf } from "../budgets/budget.ts";
import { budgetOf, type CountedTable, isOfMain, reasonOf } from "../budgets/spent.ts";
import type { Ctx, MainStatement } from "../context.ts";
import { refuse } from "./refuse.ts";

/**
 * Returns a condition for the WHERE of an INSERT into a table: true while its owner has fewer rows than the budget allows. At the end of
 * the budget it rolls back the batch, which throws BudgetSpentError; a statement alone throws the error of D1. `owner` is SQL of the
 * owner's key, a parameter as a rule; `counted` is SQL that counts its rows.
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
  if (budgetOf(table).isMeasured) return `coalesce(${ofWorkspace(table, "stored", owner)}, 0)`;
  const where = [rowsSql(table, owner, now), ...(besides === undefined ? [] : [besides])].join(" AND ");
  return `(SELECT count(*) FROM (SELECT 1 FROM ${budgetOf(table).table ?? table} WHERE ${where} LIMIT ${MOST_COUNTED}))`;
}

/** Returns the SQL condition of the rows of an owner that count. `now` as in `countSql`. */
export function rowsSql(table: CountedTable, owner: string, now?: string): string {
  const budget = budgetOf(table);
  if (now === undefined && budget.where?.includes(":now")) throw new Error(`A count of ${table} needs the time`);
  const condition = budget.where === undefined ? "" : ` AND ${budget.where.replaceAll(":now", now ?? "")}`;
  return `${ownerOf(budget).column} = ${owner}${condition}`;
}

/** Returns SQL of the budget of an owner: for a workspace that of the operator (`npm run admin -- workspaces budget`), if there is one. */
export function mostSql(table: CountedTable, owner: string): string {
  const budget = budgetOf(table);
  if (ownerOf(budget).kind !== "workspace") return String(budget.rows);
  return `coalesce(${ofWorkspace(table, "budgets", owner)}, ${budget.rows})`;
}

/**
 * Returns SQL of a number about a table that the row of a workspace has: the budget of the operator, or the rows that a job has counted.
 */
function ofWorkspace(table: CountedTable, column: "budgets" | "stored", number: string): string {
  return `(SELECT ${column}->>'$.${table}' FROM ${isOfMain(table) ? "workspaces" : "shard_workspaces"} WHERE number = ${number})`;
}

/** The rows that the next statement of a batch will add: SQL that counts them, of the workspace ?1 and a JSON text ?2. */
export interface NewRows {
  count: string;
  json: string;
}

/**
 * Returns a statement that adds rows to what a job has counted of a table of the main database, for the batch that inserts them, before
 * that. At the end of the budget it rolls back the batch, which throws BudgetSpentError; a batch that adds none passes.
 */
export function spendStatement(
  { db }: Pick<Ctx, "db">,
  table: CountedTable,
  workspace: number,
  { count, json }: NewRows,
): MainStatement {
  const [used, most] = [countSql(table, "?1"), mostSql(table, "?1")];
  const sum = `iif(used + added <= most, used + added, ${refuse(reasonOf(table), "used")})`;
  const sql = `
    UPDATE workspaces SET stored = json_set(stored, '$.${table}', (
      SELECT ${sum} FROM (SELECT ${used} AS used, ${most} AS most, ${count} AS added)))
     WHERE number = ?1 AND ${count} > 0`;
  return db.prepare(sql).bind(workspace, json);
}
