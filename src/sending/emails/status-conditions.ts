import { type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import { EGRESS_LEASE_MS } from "../../mail/egress-tickets/ticket.ts";
import type { Status } from "./rules.ts";

/**
 * Statuses of the partial index emails_by_rare_status: few emails have them. SQLite uses a partial index only when the
 * query repeats its condition.
 */
const rareStatuses = ["scheduled", "sent", "bounced", "rejected", "failed", "cancelled"] as const satisfies Status[];
const IS_RARE = sql.raw(`e.status IN (${rareStatuses.map((status) => `'${status}'`).join(", ")})`);

/** Returns whether emails_by_rare_status covers a status. */
const isRare = (status: Status): boolean => (rareStatuses as readonly Status[]).includes(status);

/** Upper bound of emails under a lease at once: concurrent runs times the emails that one run claims. */
const MAX_LEASED = 2_000;
/** End of the year 9999 in milliseconds: later than any `due_at`. */
const LAST_TIME = 253_402_300_799_000;
/** Longest time between the end of a lease and the sweep that claims its row again. */
const OVERDUE_MS = 600_000;
/** Longest time between minting the id of an email and accepting it: the upload of a large body lies between. */
export const ID_AGE_MS = 600_000;

/**
 * Status of a row of `emails e` as the API shows it. A queued email whose outbox row moved away from `due_at` is claimed,
 * so it is `sending`. The status is derived, not stored, to save a write per email. It costs one index seek per queued row.
 */
export const shownStatus = sql<Status>`CASE
  WHEN e.status = 'queued' AND e.due_at IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM outbox o WHERE o.due_at = e.due_at AND o.id = coalesce(e.outbox_id, e.id))
  THEN 'sending' ELSE e.status END`;

/** Part of the emails of a workspace, from the newest on. */
export interface NewestRange {
  /** Greatest number of emails. */
  max: number;
  /** Only emails with a lower id. */
  before?: string | undefined;
}

/** Returns the condition that `emails e` has a stored status; undefined for every status. */
export function statusCondition(status: Status | undefined): SQL | undefined {
  if (status === undefined) return undefined;
  const is = sql`e.status = ${sql.raw(`'${status}'`)}`;
  return isRare(status) ? sql`${is} AND ${IS_RARE}` : is;
}

/**
 * Returns SQL that selects `n` and `id` of the newest emails of a workspace, of one status or of all, newest first. It
 * reads about as many rows as it returns. `queued` and `sending` also read the rows under a lease; `delivered` also reads
 * the rows of other statuses in between.
 */
export function newestEmails(ctx: CallerCtx, status: Status | undefined, { max: most, before }: NewestRange): SQL {
  const beforeCondition = before === undefined ? sql`` : sql` AND e.id < ${before}`;
  const newest = (where: SQL, limit: number) =>
    sql`SELECT e.n, e.id FROM emails e WHERE ${where}${beforeCondition} ORDER BY e.id DESC LIMIT ${limit}`;
  const inWorkspace = sql`e.workspace = ${ctx.workspace.number}`;
  if (status !== "queued" && status !== "sending") {
    const condition = statusCondition(status);
    return newest(condition ? sql`${inWorkspace} AND ${condition}` : inWorkspace, most);
  }
  const leasedNumbers = leasedEmails(ctx);
  const newestNumbers = (where: SQL) =>
    sql`SELECT n FROM (${newest(sql`${inWorkspace} AND ${where}`, most + MAX_LEASED)})`;
  const deferred = newestNumbers(sql`e.status = 'queued' AND e.due_at > e.created_at`);
  const neverClaimed = newestNumbers(sql`e.status = 'queued' AND e.id >= ${OLDEST_UNCLAIMED}`);
  const candidates =
    status === "sending" ? leasedNumbers : sql`${deferred} UNION ${leasedNumbers} UNION ${neverClaimed}`;
  return newest(sql`+${inWorkspace} AND e.n IN (${candidates}) AND ${shownStatus} = ${status}`, most);
}

// Emails under a lease: the outbox rows with a token reference them.
function leasedEmails(ctx: CallerCtx): SQL {
  const now = ctx.now();
  return sql`SELECT e.n FROM outbox o CROSS JOIN json_each(o.ref) r CROSS JOIN emails e ON e.n = r.value
    WHERE o.due_at BETWEEN ${now - OVERDUE_MS} AND ${now + EGRESS_LEASE_MS} AND o.token IS NOT NULL AND o.kind IN ('deliver', 'bulk')
      AND e.workspace = ${ctx.workspace.number} AND e.status = 'queued'`;
}

// A queued email that was never deferred nor claimed is as old as its outbox row, so its id is not below the id of that time.
const OLDEST_UNCLAIMED = sql.raw(`(
  SELECT substr(hex, 1, 8) || '-' || substr(hex, 9) FROM (SELECT printf('%012x',
    max(0, coalesce((SELECT min(due_at) FROM outbox WHERE kind IN ('deliver', 'bulk') AND token IS NULL), ${LAST_TIME}) - ${ID_AGE_MS})) AS hex))`);
