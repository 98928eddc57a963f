import { type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../../context.ts";
import { orm } from "../../db/client.ts";
import { findByNumbers, visibleTo } from "../queries.ts";
import { newestEmails, shownStatus } from "../status-conditions.ts";
import type { Condition, SearchPlan } from "./plan.ts";

/** Newest rows that a search scans when the index does not help: for texts of one or two characters, and small statuses. */
const MAX_SCAN = 10_000;

export type FoundRow = Awaited<ReturnType<typeof findByNumbers>>[number];

/**
 * Returns the emails that match a plan, newest first. Uses the trigram index, or scans the emails of a status that has
 * at most MAX_SCAN. Emails that are not indexed yet are scanned as well.
 */
export async function runPlan(
  ctx: CallerCtx,
  plan: SearchPlan,
  { page, limit }: { page: number; limit: number },
): Promise<FoundRow[]> {
  const max = (page + 1) * limit;
  const statements = await selectStatements(ctx, plan, max);
  const db = orm(ctx);
  const found: number[] = [];
  for (const statement of statements) {
    if (found.length < max) found.push(...(await db.all<{ n: number }>(statement)).map(({ n }) => n));
  }
  const numbers = found.slice(page * limit, max);
  const rows = new Map((await findByNumbers(ctx, numbers)).map((row) => [row.n, row]));
  return numbers.flatMap((n) => rows.get(n) ?? []);
}

async function selectStatements(ctx: CallerCtx, plan: SearchPlan, max: number): Promise<SQL[]> {
  const allOf = (conditions: readonly Condition[]) =>
    sql.join([visibleTo(ctx), ...conditions.map(toSql), ...statusConditions(plan)], sql` AND `);
  const scan = sql`SELECT e.n FROM emails e WHERE e.n IN (SELECT n FROM (${newestEmails(ctx, plan.status ?? undefined, { max: MAX_SCAN })}))
    AND +${allOf(plan.scanConditions)} ORDER BY e.n DESC LIMIT ${max}`;
  if (plan.match === null || (await canScanStatus(ctx, plan))) return [scan];
  const notIndexedYet = sql`SELECT e.n FROM emails e WHERE e.n > (SELECT n FROM search_progress) AND +${allOf(plan.scanConditions)}
    ORDER BY e.n DESC LIMIT ${max}`;
  const indexed = sql`SELECT e.n FROM email_search s CROSS JOIN emails e ON e.n = s.rowid
    WHERE s.email_search MATCH ${plan.match} AND +${allOf(plan.indexConditions)} ORDER BY s.rowid DESC LIMIT ${max}`;
  return [notIndexedYet, indexed];
}

function toSql({ sql: text, values }: Condition): SQL {
  const parts = text.split("?");
  return sql.join(
    parts.flatMap((part, index) => (index === 0 ? [sql.raw(part)] : [sql`${values[index - 1]}`, sql.raw(part)])),
  );
}

const statusConditions = ({ status }: SearchPlan): SQL[] => (status === null ? [] : [sql`${shownStatus} = ${status}`]);

/** Returns whether few enough emails have the status to scan all of them. */
async function canScanStatus(ctx: CallerCtx, { status }: SearchPlan): Promise<boolean> {
  if (status === null || status === "delivered") return false;
  const countRows = sql`SELECT count(*) AS rows FROM (${newestEmails(ctx, status, { max: MAX_SCAN + 1 })})`;
  const [count] = await orm(ctx).all<{ rows: number }>(countRows);
  return (count?.rows ?? 0) <= MAX_SCAN;
}
