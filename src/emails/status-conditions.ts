import { type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { LEASE_MS } from "../outbox/index.ts";
import type { Status } from "./rules.ts";

/**
 * Where the emails of one status are found without walking all of them. Statuses that few emails are in have a
 * partial index; SQLite takes it only when its own condition stands in the query.
 */
const rareStatuses = ["scheduled", "sent", "bounced", "rejected", "failed", "cancelled"] as const satisfies Status[];
const IS_RARE = sql.raw(`e.status IN (${rareStatuses.map((status) => `'${status}'`).join(", ")})`);

export const isRare = (status: Status): boolean => (rareStatuses as readonly Status[]).includes(status);

/** Emails under a lease are at most this many: runs at once times mails a run claims. */
const MOST_LEASED = 2_000;
/** The end of the year 9999: nothing waits. */
const NEVER = 253_402_300_799_000;
/** How long a lease that nobody gave back may have been over before the sweep finds its row. */
const OVERDUE_MS = 600_000;
/** How long before its acceptance an email's id may have been drawn: while a large body was read. */
const ID_AGE_MS = 600_000;

/**
 * For a row of `emails e`: a queued mail whose outbox row is no longer where the email says has been claimed, it is
 * being sent. Never stored, so that it costs no write; one seek in the outbox for each queued row that is shown.
 */
export const shownStatus = sql<Status>`CASE
  WHEN e.status = 'queued' AND e.due_at IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM outbox o WHERE o.due_at = e.due_at AND o.id = coalesce(e.outbox_id, e.id))
  THEN 'sending' ELSE e.status END`;

/** The slice of a workspace's emails that is asked for. */
export interface Slice {
  /** How many, from the newest on. */
  most: number;
  /** Only older than this id. */
  before?: string | undefined;
}

/** The condition that a row of `emails e` has a status that is stored; nothing for none. */
export function statusCondition(status: Status | undefined): SQL | undefined {
  if (status === undefined) return undefined;
  const is = sql`e.status = ${sql.raw(`'${status}'`)}`;
  return isRare(status) ? sql`${is} AND ${IS_RARE}` : is;
}

/**
 * SQL for the `n` and `id` of a workspace's newest emails, of one status or of any, newest first. Reads about as many
 * rows as it answers with: beyond them those of work under way, and for `delivered` those of other statuses between.
 */
export function newestOf(ctx: CallerCtx, status: Status | undefined, { most, before }: Slice): SQL {
  const older = before === undefined ? sql`` : sql` AND e.id < ${before}`;
  const newest = (where: SQL, limit: number) =>
    sql`SELECT e.n, e.id FROM emails e WHERE ${where}${older} ORDER BY e.id DESC LIMIT ${limit}`;
  const ours = sql`e.workspace = ${ctx.workspace.number}`;
  if (status !== "queued" && status !== "sending") {
    const condition = statusCondition(status);
    return newest(condition ? sql`${ours} AND ${condition}` : ours, most);
  }
  const leased = leasedSource(ctx);
  const some = (where: SQL) => sql`SELECT n FROM (${newest(sql`${ours} AND ${where}`, most + MOST_LEASED)})`;
  const putOff = some(sql`e.status = 'queued' AND e.due_at > e.created_at`);
  const waiting = some(sql`e.status = 'queued' AND e.id >= ${OLDEST_WAITING}`);
  const candidates = status === "sending" ? leased : sql`${putOff} UNION ${leased} UNION ${waiting}`;
  return newest(sql`+${ours} AND e.n IN (${candidates}) AND ${shownStatus} = ${status}`, most);
}

// Those a run holds are named by the outbox.
function leasedSource(ctx: CallerCtx): SQL {
  const now = ctx.now();
  return sql`SELECT e.n FROM outbox o CROSS JOIN json_each(o.ref) r CROSS JOIN emails e ON e.n = r.value
    WHERE o.due_at BETWEEN ${now - OVERDUE_MS} AND ${now + LEASE_MS} AND o.token IS NOT NULL AND o.kind = 'deliver'
      AND e.workspace = ${ctx.workspace.number} AND e.status = 'queued'`;
}

// What was not put off and is not held waits since it was accepted: its id is no older than the oldest work that waits.
const OLDEST_WAITING = sql.raw(`(
  SELECT substr(hex, 1, 8) || '-' || substr(hex, 9) FROM (SELECT printf('%012x',
    max(0, coalesce((SELECT min(due_at) FROM outbox WHERE kind = 'deliver' AND token IS NULL), ${NEVER}) - ${ID_AGE_MS})) AS hex))`);
