import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { emails } from "../db/schema/index.ts";
import { notFound } from "../errors.ts";
import { isUuid } from "../lib/ids.ts";
import type { Status } from "./rules.ts";
import { newestOf, shownStatus, statusCondition } from "./status-conditions.ts";

const e = alias(emails, "e");
const { n: _n, events: _events, content: _content, hits: _hits, ...listed } = getTableColumns(e);
const recordColumns = { ...listed, status: shownStatus.as("shown_status") };
const detailColumns = { ...recordColumns, events: e.events };

export type RecordRow = Awaited<ReturnType<typeof selectRecords>>[number];
export type DetailRow = Awaited<ReturnType<typeof getEmail>>;

/** Rows that a key restricted to domains looks through, newest first: there is no index by domain. */
const RESTRICTED_WALK = 10_000;

/** Emails that the caller's credential may see: its workspace's, and of its domains alone when it is restricted. */
export function visible(ctx: CallerCtx): SQL {
  const { domainIds } = ctx.actor;
  const among = domainIds && sql`AND e.domain_id IN (SELECT value FROM json_each(${JSON.stringify([...domainIds])}))`;
  return sql`e.workspace = ${ctx.workspace.number} ${among ?? sql``}`;
}

/** The same where the rows are found already: the plus keeps SQLite from walking the workspace's index for them. */
function unindexed(ctx: CallerCtx): SQL {
  return sql`+${visible(ctx)}`;
}

function selectRecords(
  ctx: CallerCtx,
  where: SQL | undefined,
  { page, limit }: { page: number; limit: number },
  scope = visible(ctx),
) {
  return orm(ctx)
    .select(recordColumns)
    .from(e)
    .where(and(scope, where))
    .orderBy(desc(e.id))
    .limit(limit)
    .offset(page * limit);
}

/** Emails of the caller's workspace, newest first; `before` continues below an id at no extra cost. */
export function listEmails(
  ctx: CallerCtx,
  { status, before, ...page }: { status?: Status; before?: string; page: number; limit: number },
): Promise<RecordRow[]> {
  const older = before === undefined ? undefined : sql`${e.id} < ${before}`;
  const isUnderWay = status === "queued" || status === "sending";
  if (!isUnderWay && !ctx.actor.domainIds) return selectRecords(ctx, and(older, statusCondition(status)), page);
  const most = ctx.actor.domainIds ? RESTRICTED_WALK : (page.page + 1) * page.limit;
  const found = sql`e.n IN (SELECT n FROM (${newestOf(ctx, status, { most, before })}))`;
  return selectRecords(ctx, found, page, unindexed(ctx));
}

/** Emails of the caller's workspace by their `n`, in no order that counts. */
export function findByNumbers(ctx: CallerCtx, numbers: readonly number[]) {
  return orm(ctx)
    .select({ ...recordColumns, n: e.n })
    .from(e)
    .where(and(unindexed(ctx), sql`${e.n} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`));
}

/** Emails that wait for their time, soonest first; emails_scheduled has them in that order. */
export function listScheduled(ctx: CallerCtx, { page, limit }: { page: number; limit: number }): Promise<RecordRow[]> {
  return orm(ctx)
    .select(recordColumns)
    .from(e)
    .where(and(visible(ctx), sql`e.status = 'scheduled'`))
    .orderBy(e.scheduledAt)
    .limit(limit)
    .offset(page * limit);
}

/**
 * One email of the caller's workspace. Throws 404 for an id that is malformed, unknown, another workspace's, or of a
 * domain that the calling key is not for.
 */
export async function getEmail(ctx: CallerCtx, id: string) {
  if (!isUuid(id)) throw notFound("Email");
  const [row] = await orm(ctx)
    .select(detailColumns)
    .from(e)
    .where(and(visible(ctx), eq(e.id, id)));
  if (!row) throw notFound("Email");
  return row;
}
