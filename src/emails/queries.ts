import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { emails } from "../db/schema/index.ts";
import { notFound } from "../errors.ts";
import { isUuid } from "../lib/ids.ts";
import type { Status } from "./rules.ts";
import { newestEmails, shownStatus, statusCondition } from "./status-conditions.ts";

const e = alias(emails, "e");
const { n: _n, events: _events, content: _content, hits: _hits, ...listColumns } = getTableColumns(e);
const recordColumns = { ...listColumns, status: shownStatus.as("shown_status") };
const detailColumns = { ...recordColumns, events: e.events };

export type RecordRow = Awaited<ReturnType<typeof selectRecords>>[number];
export type DetailRow = Awaited<ReturnType<typeof getEmail>>;

/** Newest rows that a list for a key restricted to domains reads, since no index begins with the domain. */
const MAX_RESTRICTED_SCAN = 10_000;

/** Returns the condition that the caller may see `emails e`: its workspace, and its domains when the key is restricted. */
export function visibleTo(ctx: CallerCtx): SQL {
  const { domainIds } = ctx.actor;
  const domainFilter =
    domainIds && sql`AND e.domain_id IN (SELECT value FROM json_each(${JSON.stringify([...domainIds])}))`;
  return sql`e.workspace = ${ctx.workspace.number} ${domainFilter ?? sql``}`;
}

/** Returns the same condition for rows found by `n`. The unary plus keeps SQLite from using the workspace index. */
function visibleWithoutIndex(ctx: CallerCtx): SQL {
  return sql`+${visibleTo(ctx)}`;
}

function selectRecords(
  ctx: CallerCtx,
  where: SQL | undefined,
  { page, limit }: { page: number; limit: number },
  scope = visibleTo(ctx),
) {
  return orm(ctx)
    .select(recordColumns)
    .from(e)
    .where(and(scope, where))
    .orderBy(desc(e.id))
    .limit(limit)
    .offset(page * limit);
}

/** Returns emails that the caller may see, newest first. `before` seeks in the index; `page` reads what it skips. */
export function listEmails(
  ctx: CallerCtx,
  { status, before, ...page }: { status?: Status; before?: string; page: number; limit: number },
): Promise<RecordRow[]> {
  const beforeCondition = before === undefined ? undefined : sql`${e.id} < ${before}`;
  const isInProgress = status === "queued" || status === "sending";
  if (!isInProgress && !ctx.actor.domainIds)
    return selectRecords(ctx, and(beforeCondition, statusCondition(status)), page);
  const max = ctx.actor.domainIds ? MAX_RESTRICTED_SCAN : (page.page + 1) * page.limit;
  const isCandidate = sql`e.n IN (SELECT n FROM (${newestEmails(ctx, status, { max, before })}))`;
  return selectRecords(ctx, isCandidate, page, visibleWithoutIndex(ctx));
}

/** Returns the emails with these values of `n` that the caller may see, in no particular order. */
export function findByNumbers(ctx: CallerCtx, numbers: readonly number[]) {
  return orm(ctx)
    .select({ ...recordColumns, n: e.n })
    .from(e)
    .where(and(visibleWithoutIndex(ctx), sql`${e.n} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`));
}

/** Returns scheduled emails, soonest first, in the order of the index emails_scheduled. */
export function listScheduled(ctx: CallerCtx, { page, limit }: { page: number; limit: number }): Promise<RecordRow[]> {
  return orm(ctx)
    .select(recordColumns)
    .from(e)
    .where(and(visibleTo(ctx), sql`e.status = 'scheduled'`))
    .orderBy(e.scheduledAt)
    .limit(limit)
    .offset(page * limit);
}

/**
 * Returns one email. Throws 404 when the id is malformed or unknown, or when the email belongs to another workspace or to
 * a domain outside the key's restriction.
 */
export async function getEmail(ctx: CallerCtx, id: string) {
  const key = id.toLowerCase();
  if (!isUuid(key)) throw notFound("Email");
  const [row] = await orm(ctx)
    .select(detailColumns)
    .from(e)
    .where(and(visibleTo(ctx), eq(e.id, key)));
  if (!row) throw notFound("Email");
  return row;
}
