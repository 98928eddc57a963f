import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { emails } from "../db/schema/index.ts";
import { notFound } from "../errors.ts";
import { isUuid } from "../lib/ids.ts";
import type { Status } from "./rules.ts";

/**
 * A queued mail whose outbox row is no longer where the email says has been claimed: it is being sent.
 * Never stored, so that it costs no write; one seek in the outbox for each queued row that is shown.
 */
const shownStatus = sql<Status>`CASE
  WHEN ${emails.status} = 'queued' AND ${emails.dueAt} IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM outbox o WHERE o.due_at = ${emails.dueAt} AND o.id = coalesce(${emails.work}, ${emails.id}))
  THEN 'sending' ELSE ${emails.status} END`;

const { n: _n, events: _events, content: _content, hits: _hits, ...listed } = getTableColumns(emails);
const recordColumns = { ...listed, status: shownStatus.as("shown_status") };
const detailColumns = { ...recordColumns, events: emails.events };

export type RecordRow = Awaited<ReturnType<typeof listEmails>>[number];
export type DetailRow = Awaited<ReturnType<typeof getEmail>>;

/** Emails of the caller's workspace, newest first; `before` continues below an id at no extra cost. */
export async function listEmails(
  ctx: CallerCtx,
  filter: { status?: Status; before?: string; page: number; limit: number },
) {
  const where: (SQL | undefined)[] = [eq(emails.workspace, ctx.workspace.number)];
  if (filter.before) where.push(lt(emails.id, filter.before));
  if (filter.status) where.push(...statusFilter(filter.status));
  return orm(ctx)
    .select(recordColumns)
    .from(emails)
    .where(and(...where))
    .orderBy(desc(emails.id))
    .limit(filter.limit)
    .offset(filter.page * filter.limit);
}

/** The statuses of emails_by_rare_status. SQLite takes that index only when its own condition stands in the query. */
const rareStatuses: readonly Status[] = ["scheduled", "sent", "bounced", "rejected", "failed", "cancelled"];
const isRare = sql`${emails.status} IN (${sql.raw(rareStatuses.map((status) => `'${status}'`).join(", "))})`;

function statusFilter(status: Status): SQL[] {
  if (status === "queued" || status === "sending")
    return [eq(emails.status, "queued"), sql`${shownStatus} = ${status}`];
  return rareStatuses.includes(status) ? [eq(emails.status, status), isRare] : [eq(emails.status, status)];
}

/** One email of the caller's workspace. Throws 404 for an id that is malformed, unknown or another workspace's. */
export async function getEmail(ctx: CallerCtx, id: string) {
  if (!isUuid(id)) throw notFound("Email");
  const [row] = await orm(ctx)
    .select(detailColumns)
    .from(emails)
    .where(and(eq(emails.workspace, ctx.workspace.number), eq(emails.id, id)));
  if (!row) throw notFound("Email");
  return row;
}
