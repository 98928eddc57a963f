import { and, desc, eq, getTableColumns, gte, lt, type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import { notFound, requireFound } from "../../lib/errors.ts";
import { isUuid } from "../../lib/ids.ts";
import { mailAlias, mailOrm } from "../../platform/db/client.ts";
import { emails } from "../../platform/db/schema/mail/index.ts";
import type { Status } from "./rules.ts";
import { type NewestRange, newestEmails, shownStatus, statusCondition } from "./status-conditions.ts";

const e = mailAlias(emails, "e");
const {
  n: _n,
  events: _events,
  content: _content,
  hits: _hits,
  variables: _variables,
  ...listColumns
} = getTableColumns(e);
const recordColumns = { ...listColumns, status: shownStatus.as("shown_status") };
const detailColumns = { ...recordColumns, events: e.events, content: e.content, variables: e.variables };

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
const visibleWithoutIndex = (ctx: CallerCtx): SQL => sql`+${visibleTo(ctx)}`;

/** One page of emails. `next` is the id to continue below; null at the end of the list. */
export interface EmailPage<Row> {
  rows: Row[];
  next: string | null;
}

function selectRecords(
  ctx: CallerCtx,
  where: SQL | undefined,
  { page, limit }: { page: number; limit: number },
  scope = visibleTo(ctx),
) {
  return mailOrm(ctx)
    .select(recordColumns)
    .from(e)
    .where(and(scope, where))
    .orderBy(desc(e.id))
    .limit(limit + 1)
    .offset(page * limit);
}

interface ListOptions {
  status?: Status | undefined;
  /** Only emails with this id or a higher one. */
  since?: string | undefined;
  before?: string | undefined;
  page: number;
  limit: number;
}

/** Position of a scheduled email in the order of the index emails_scheduled. */
export interface ScheduledPosition {
  /** Milliseconds since 1970. */
  scheduledAt: number;
  n: number;
}

const scheduledPosition = sql`(e.scheduled_at, e.n)`;
const toSql = ({ scheduledAt, n }: ScheduledPosition): SQL => sql`(${scheduledAt}, ${n})`;

/** Returns at most `max` scheduled emails that the caller may see, after one position and up to another, soonest first. */
export function listScheduled(
  ctx: CallerCtx,
  range: { after: ScheduledPosition; upTo: ScheduledPosition },
  max: number,
): Promise<(RecordRow & { n: number })[]> {
  const isInRange = sql`${scheduledPosition} > ${toSql(range.after)} AND ${scheduledPosition} <= ${toSql(range.upTo)}`;
  return mailOrm(ctx)
    .select({ ...recordColumns, n: e.n })
    .from(e)
    .where(and(visibleTo(ctx), sql`e.status = 'scheduled'`, isInRange))
    .orderBy(e.scheduledAt, e.n)
    .limit(max);
}

/** Returns the scheduled emails of a mailbox, soonest first. */
export function listScheduledOf(ctx: CallerCtx, mailboxId: string, max: number): Promise<RecordRow[]> {
  return mailOrm(ctx)
    .select(recordColumns)
    .from(e)
    .where(and(visibleTo(ctx), sql`e.status = 'scheduled'`, eq(e.mailboxId, mailboxId)))
    .orderBy(e.scheduledAt, e.n)
    .limit(max);
}

/** Returns two neighbours in the order of the workspace's scheduled emails after a position, `skip` rows further on. */
export function findScheduledPositions(
  ctx: CallerCtx,
  after: ScheduledPosition,
  skip: number,
): Promise<(ScheduledPosition & { id: string })[]> {
  return mailOrm(ctx).all(
    sql`SELECT e.scheduled_at AS scheduledAt, e.n, e.id FROM emails e
      WHERE e.workspace = ${ctx.workspace.number} AND e.status = 'scheduled' AND ${scheduledPosition} > ${toSql(after)}
      ORDER BY e.scheduled_at, e.n LIMIT 2 OFFSET ${skip}`,
  );
}

/** Returns emails that the caller may see, newest first. `before` seeks in the index; `page` reads what it skips. */
export async function listEmails(ctx: CallerCtx, options: ListOptions): Promise<EmailPage<RecordRow>> {
  const found = await selectPage(ctx, options);
  const rows = found.slice(0, options.limit);
  if (found.length > rows.length) return { rows, next: rows.at(-1)?.id ?? null };
  const { status, since, before } = options;
  const isScan = ctx.actor.domainIds !== null;
  return { rows, next: isScan ? await endOfScan(ctx, status, { max: MAX_RESTRICTED_SCAN, since, before }) : null };
}

/** Selects the rows of a page, and one more when another page follows. */
function selectPage(ctx: CallerCtx, { status, since, before, ...page }: ListOptions): Promise<RecordRow[]> {
  const isInProgress = status === "queued" || status === "sending";
  if (!isInProgress && !ctx.actor.domainIds)
    return selectRecords(
      ctx,
      and(since ? gte(e.id, since) : undefined, before ? lt(e.id, before) : undefined, statusCondition(status)),
      page,
    );
  const max = ctx.actor.domainIds ? MAX_RESTRICTED_SCAN : (page.page + 1) * page.limit + 1;
  const isCandidate = sql`e.n IN (SELECT n FROM (${newestEmails(ctx, status, { max, since, before })}))`;
  return selectRecords(ctx, isCandidate, page, visibleWithoutIndex(ctx));
}

/** Returns the id of the oldest email in a full range, where the next scan continues; null when the range is not full. */
export async function endOfScan(
  ctx: CallerCtx,
  status: Status | undefined,
  range: NewestRange,
): Promise<string | null> {
  const oldest = sql`SELECT id FROM (${newestEmails(ctx, status, range)}) LIMIT 1 OFFSET ${range.max - 1}`;
  const [row] = await mailOrm(ctx).all<{ id: string }>(oldest);
  return row?.id ?? null;
}

/** Returns the emails with these values of `n` that the caller may see, in no particular order. */
export function findByNumbers(ctx: CallerCtx, numbers: readonly number[]) {
  return mailOrm(ctx)
    .select({ ...recordColumns, n: e.n })
    .from(e)
    .where(and(visibleWithoutIndex(ctx), sql`${e.n} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`));
}

/** Returns the emails in the change rows from `firstUs` to `lastUs` (microseconds since 1970) that the caller may see. */
export async function findVisibleNumbers(ctx: CallerCtx, firstUs: number, lastUs: number): Promise<Set<number>> {
  const rows = await mailOrm(ctx).all<{ n: number }>(
    sql`SELECT DISTINCT e.n FROM changes c CROSS JOIN json_each(c.emails) j CROSS JOIN emails e ON e.n = j.value
      WHERE c.workspace = ${ctx.workspace.number} AND c.at_us BETWEEN ${firstUs} AND ${lastUs} AND ${visibleWithoutIndex(ctx)}`,
  );
  return new Set(rows.map(({ n }) => n));
}

/**
 * Returns one email by its id in any letter case. Throws 404 when the id is malformed or unknown, or when the email
 * belongs to another workspace or to a domain outside the key's restriction.
 */
export async function getEmail(ctx: CallerCtx, id: string) {
  const key = id.toLowerCase();
  if (!isUuid(key)) throw notFound("Email");
  const [row] = await mailOrm(ctx)
    .select(detailColumns)
    .from(e)
    .where(and(visibleTo(ctx), eq(e.id, key)));
  return requireFound(row, "Email");
}
