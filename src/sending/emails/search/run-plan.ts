import { type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../../../access/caller.ts";
import { idOfTime, timeOfId } from "../../../lib/ids.ts";
import { DAY_MS } from "../../../lib/time.ts";
import { mailOrm } from "../../../platform/db/client.ts";
import { withJointReads } from "../../../platform/db/joint-reads.ts";
import { onShard } from "../../../platform/jobs/shards.ts";
import { type EmailPage, endOfScan, findByNumbers, visibleTo } from "../queries.ts";
import { ID_AGE_MS, isInRange, type NewestRange, newestEmails, shownStatus } from "../status-conditions.ts";
import { LAST_INDEXED_SQL } from "./index-emails.ts";
import type { Condition, SearchPlan } from "./plan.ts";

/** Newest rows that a search scans when the index does not help: for texts of one or two characters, and small statuses. */
const MAX_SCAN = 10_000;

export type FoundRow = Awaited<ReturnType<typeof findByNumbers>>[number];

/**
 * Returns the emails that match a plan, newest first. Uses the trigram index, or scans the emails of a status that has
 * at most MAX_SCAN. Emails that are not indexed yet are scanned as well.
 */
export async function runPlan(ctx: CallerCtx, plan: SearchPlan, range: Range): Promise<EmailPage<FoundRow>> {
  const { page, limit } = range;
  const max = (page + 1) * limit + 1;
  const { statements, scanned } = await selectStatements(ctx, plan, range, max);
  // In one call of D1: the second read is seldom in vain, since few emails are not indexed yet.
  const db = mailOrm(onShard(withJointReads(ctx), ctx.shard));
  const results = await Promise.all(statements.map((statement) => db.all<{ n: number }>(statement)));
  const found = results.flat().map(({ n }) => n);
  const numbers = [...new Set(found)].slice(page * limit, max - 1);
  const byNumber = new Map((await findByNumbers(ctx, numbers)).map((row) => [row.n, row]));
  const rows = numbers.flatMap((n) => byNumber.get(n) ?? []);
  if (found.length >= max) return { rows, next: rows.at(-1)?.id ?? null };
  return { rows, next: scanned ? await endOfScan(ctx, plan.status ?? undefined, scanned) : null };
}

/** The part of the results that is wanted. */
export interface Range {
  /** Only outbound emails with this id or a higher one, and with ids below another one: those of a time (`idsOfDays`). */
  since?: string | undefined;
  until?: string | undefined;
  /** Only emails after this one in the results. */
  before?: string | undefined;
  page: number;
  limit: number;
}

/** Returns the statements that find emails, newest first, and the range that they scan. */
async function selectStatements(
  ctx: CallerCtx,
  plan: SearchPlan,
  { since, until, before }: Range,
  max: number,
): Promise<{ statements: SQL[]; scanned?: NewestRange }> {
  const below = before === undefined ? [] : [sql`e.n < ${numberBefore(ctx, before)}`];
  const isInDays = isInRange({ since, before: until });
  const allOf = (conditions: readonly Condition[]) =>
    sql.join([visibleTo(ctx), ...below, ...conditions.map(toSql), ...statusConditions(plan)], sql` AND `);
  const scanned = { max: MAX_SCAN, since, before: lowestOf(until, before && latestIdBefore(before)) };
  const scan = sql`SELECT e.n FROM emails e WHERE e.n IN (SELECT n FROM (${newestEmails(ctx, plan.status ?? undefined, scanned)}))
    AND +${allOf(plan.scanConditions)} ORDER BY e.n DESC LIMIT ${max}`;
  if (plan.match === null || (await canScanStatus(ctx, plan, scanned))) return { statements: [scan], scanned };
  const notIndexedYet = sql`SELECT e.n FROM emails e WHERE e.n > ${sql.raw(LAST_INDEXED_SQL)} AND +${allOf(plan.scanConditions)}${isInDays}
    ORDER BY e.n DESC LIMIT ${max}`;
  const indexed = sql`SELECT e.n FROM email_search s CROSS JOIN emails e ON e.n = s.rowid
    WHERE s.email_search MATCH ${plan.match}${rowidsOf(ctx, { since, until })} AND +${allOf(plan.indexConditions)}${isInDays} ORDER BY s.rowid DESC LIMIT ${max}`;
  return { statements: [notIndexedYet, indexed] };
}

/**
 * Returns a condition on the rowids of the index that holds for all emails of a range of ids. The order of `n` is that of acceptance,
 * and an automation accepts an email when it runs, under the time at which its step was due: a day of delay is allowed for.
 */
function rowidsOf({ workspace: { number } }: CallerCtx, { since, until }: Pick<Range, "since" | "until">): SQL {
  const idAfter = (id: string, ms: number) => idOfTime(timeOfId(id) + ms, "");
  const above = since
    ? sql` AND s.rowid > coalesce((SELECT n FROM emails WHERE workspace = ${number} AND id < ${idAfter(since, -DAY_MS)}
        ORDER BY id DESC LIMIT 1), 0)`
    : sql``;
  const below = until
    ? sql` AND s.rowid < coalesce((SELECT n FROM emails WHERE workspace = ${number} AND id >= ${idAfter(until, DAY_MS)}
        ORDER BY id LIMIT 1), ${Number.MAX_SAFE_INTEGER})`
    : sql``;
  return sql`${above}${below}`;
}

/** Returns the lowest of some ids; undefined without one. */
export const lowestOf = (...ids: (string | undefined)[]): string | undefined =>
  ids.filter((id) => id !== undefined).toSorted()[0];

/** Returns SQL for the `n` of an email, or the one after the next older email when it no longer exists. */
function numberBefore(ctx: CallerCtx, id: string): SQL {
  const workspace = ctx.workspace.number;
  return sql`coalesce((SELECT n FROM emails WHERE workspace = ${workspace} AND id = ${id}),
    (SELECT n + 1 FROM emails WHERE workspace = ${workspace} AND id < ${id} ORDER BY id DESC LIMIT 1), 0)`;
}

/** Returns an id above those of all emails after `id` in the results, which are in the order of acceptance. */
const latestIdBefore = (id: string): string => idOfTime(Math.min(timeOfId(id) + ID_AGE_MS, 0xffff_ffff_ffff), "");

/** Returns a condition of a plan as SQL with its values. */
export function toSql({ sql: text, values }: Condition): SQL {
  const parts = text.split("?");
  return sql.join(
    parts.flatMap((part, index) => (index === 0 ? [sql.raw(part)] : [sql`${values[index - 1]}`, sql.raw(part)])),
  );
}

const statusConditions = ({ status }: SearchPlan): SQL[] => (status === null ? [] : [sql`${shownStatus} = ${status}`]);

/** Returns whether few enough emails have the status to scan all of them. */
async function canScanStatus(ctx: CallerCtx, { status }: SearchPlan, { since, before }: NewestRange): Promise<boolean> {
  if (status === null || status === "delivered") return false;
  const countRows = sql`SELECT count(*) AS rows FROM (${newestEmails(ctx, status, { max: MAX_SCAN + 1, since, before })})`;
  const [count] = await mailOrm(ctx).all<{ rows: number }>(countRows);
  return (count?.rows ?? 0) <= MAX_SCAN;
}
