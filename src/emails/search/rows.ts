import { type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../../context.ts";
import { orm } from "../../db/client.ts";
import { findByNumbers, visible } from "../queries.ts";
import { newestOf, shownStatus } from "../status-conditions.ts";
import type { Condition, SearchPlan } from "./conditions.ts";

/** Rows looked through one by one where no index helps: texts of one or two characters, statuses few emails have. */
const WALK = 10_000;

export type FoundRow = Awaited<ReturnType<typeof findByNumbers>>[number];

/**
 * The emails a plan finds, newest first. The trigram index leads where it can, a rare status where that has fewer;
 * what is too new for the index is looked through one by one.
 */
export async function findPlanned(
  ctx: CallerCtx,
  plan: SearchPlan,
  { page, limit }: { page: number; limit: number },
): Promise<FoundRow[]> {
  const most = (page + 1) * limit;
  const sources = await sourcesOf(ctx, plan, most);
  const db = orm(ctx);
  const found: number[] = [];
  for (const source of sources) {
    if (found.length < most) found.push(...(await db.all<{ n: number }>(source)).map(({ n }) => n));
  }
  const numbers = found.slice(page * limit, most);
  const rows = new Map((await findByNumbers(ctx, numbers)).map((row) => [row.n, row]));
  return numbers.flatMap((n) => rows.get(n) ?? []);
}

async function sourcesOf(ctx: CallerCtx, plan: SearchPlan, most: number): Promise<SQL[]> {
  const all = (conditions: readonly Condition[]) =>
    sql.join([visible(ctx), ...conditions.map(toSql), ...statusHolds(plan)], sql` AND `);
  const walked = sql`SELECT e.n FROM emails e WHERE e.n IN (SELECT n FROM (${newestOf(ctx, plan.status ?? undefined, { most: WALK })}))
    AND +${all(plan.walked)} ORDER BY e.n DESC LIMIT ${most}`;
  if (plan.match === null || (await isRareHere(ctx, plan))) return [walked];
  const tail = sql`SELECT e.n FROM emails e WHERE e.n > (SELECT n FROM search_progress) AND +${all(plan.walked)}
    ORDER BY e.n DESC LIMIT ${most}`;
  const indexed = sql`SELECT e.n FROM email_search s CROSS JOIN emails e ON e.n = s.rowid
    WHERE s.email_search MATCH ${plan.match} AND +${all(plan.indexed)} ORDER BY s.rowid DESC LIMIT ${most}`;
  return [tail, indexed];
}

function toSql({ sql: text, values }: Condition): SQL {
  const parts = text.split("?");
  return sql.join(
    parts.flatMap((part, index) => (index === 0 ? [sql.raw(part)] : [sql`${values[index - 1]}`, sql.raw(part)])),
  );
}

const statusHolds = ({ status }: SearchPlan): SQL[] => (status === null ? [] : [sql`${shownStatus} = ${status}`]);

/** Whether all emails of the status that is asked for can be walked through. */
async function isRareHere(ctx: CallerCtx, { status }: SearchPlan): Promise<boolean> {
  if (status === null || status === "delivered") return false;
  const some = sql`SELECT count(*) AS rows FROM (${newestOf(ctx, status, { most: WALK + 1 })})`;
  const [count] = await orm(ctx).all<{ rows: number }>(some);
  return (count?.rows ?? 0) <= WALK;
}
