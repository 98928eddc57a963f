import type { CallerCtx } from "../../access/caller.ts";
import { budgetOf, type CountedTable, isOfMain, raisedTables } from "../../platform/budgets/spent.ts";
import { countSql, mostSql } from "../../platform/db/has-room.ts";
import { requireActiveWorkspace } from "./queries.ts";
import type { UsageOut } from "./schema.ts";

// D1 refuses a parameter that the SQL does not read, and no count of a mail database reads the time.
const countAll = (tables: readonly CountedTable[]) =>
  `SELECT ${tables.flatMap((table) => [
    `${countSql(table, "?1", { now: "?2" })} AS ${table}`,
    `${mostSql(table, "?1")} AS ${table}_most`,
  ])}, ?2 AS now`;
const COUNT_MAIN = countAll(raisedTables.filter(isOfMain));
const COUNT_MAIL = countAll(raisedTables.filter((table) => !isOfMain(table)));

/** Returns how many records of each kind with a budget the caller's workspace has, and may have. Throws as `requireActiveWorkspace`. */
export async function listUsage(ctx: CallerCtx, workspaceId: string): Promise<UsageOut[]> {
  await requireActiveWorkspace(ctx, workspaceId);
  const { number } = ctx.workspace;
  const now = ctx.now();
  const found = await Promise.all([
    ctx.db.findRow<Record<string, number>>(COUNT_MAIN, number, now),
    ctx.mail.findRow<Record<string, number>>(COUNT_MAIL, number, now),
  ]);
  const counts = Object.assign({}, ...found) as Record<string, number>;
  return raisedTables.map((table) => {
    const { of: name, remedy } = budgetOf(table);
    return { of: table, name, used: counts[table] ?? 0, limit: counts[`${table}_most`] ?? 0, at_limit: remedy };
  });
}
