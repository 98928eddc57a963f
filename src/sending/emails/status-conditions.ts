import { type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import type { Status } from "./rules.ts";

/**
 * Statuses of the partial index emails_by_rare_status: few emails have them. SQLite uses a partial index only when the
 * query repeats its condition.
 */
const rareStatuses = ["scheduled", "sent", "bounced", "rejected", "failed", "cancelled"] as const satisfies Status[];
const IS_RARE = sql.raw(`e.status IN (${rareStatuses.map((status) => `'${status}'`).join(", ")})`);

/** Returns whether emails_by_rare_status covers a status. */
const isRare = (status: Status): boolean => (rareStatuses as readonly Status[]).includes(status);

/** Outbox rows of a workspace that a look at its queued or sending emails reads beside the emails that it shows. */
const MAX_ROWS = 2_000;
/** End of the year 9999 in milliseconds: later than any row is due. */
const LAST_TIME = 253_402_300_799_000;
/** Longest time between minting the id of an email and accepting it: the upload of a large body lies between. */
export const ID_AGE_MS = 600_000;

const IS_LEASED = `coalesce((SELECT o.token IS NOT NULL FROM outbox o WHERE o.id = e.id),
    (SELECT o.token IS NOT NULL FROM outbox o WHERE o.id = e.outbox_id), 0)`;

/**
 * Status of a row of `emails e` as the API shows it. A queued email whose outbox row is under a lease is `sending`: the row of its own, if it
 * has one, or the one that it shares. The status is derived, not stored, to save a write per email. It costs two seeks per queued row.
 */
export const shownStatus = sql.raw(
  `CASE WHEN e.status = 'queued' AND ${IS_LEASED} THEN 'sending' ELSE e.status END`,
) as SQL<Status>;

/** Part of the emails of a workspace, from the newest on. */
export interface NewestRange {
  /** Greatest number of emails. */
  max: number;
  /** Only emails with this id or a higher one. */
  since?: string | undefined;
  /** Only emails with a lower id. */
  before?: string | undefined;
}

/** Returns the condition on the id of `emails e`, after other conditions. */
export const isInRange = ({ since, before }: Pick<NewestRange, "since" | "before">): SQL =>
  sql`${since === undefined ? sql`` : sql` AND e.id >= ${since}`}${before === undefined ? sql`` : sql` AND e.id < ${before}`}`;

/** Returns the condition that `emails e` has a stored status; undefined for every status. */
export function statusCondition(status: Status | undefined): SQL | undefined {
  if (status === undefined) return undefined;
  const is = sql`e.status = ${sql.raw(`'${status}'`)}`;
  return isRare(status) ? sql`${is} AND ${IS_RARE}` : is;
}

/**
 * Returns SQL that selects `n` and `id` of the newest emails of a workspace, of one status or of all, newest first. It
 * reads about as many rows as it returns. `queued` and `sending` also read outbox rows of the workspace, at most MAX_ROWS of each kind;
 * `delivered` also reads the rows of other statuses in between.
 */
export function newestEmails(ctx: CallerCtx, status: Status | undefined, { max: most, ...range }: NewestRange): SQL {
  const newest = (where: SQL, limit: number) =>
    sql`SELECT e.n, e.id FROM emails e WHERE ${where}${isInRange(range)} ORDER BY e.id DESC LIMIT ${limit}`;
  const inWorkspace = sql`e.workspace = ${ctx.workspace.number}`;
  if (status !== "queued" && status !== "sending") {
    const condition = statusCondition(status);
    return newest(condition ? sql`${inWorkspace} AND ${condition}` : inWorkspace, most);
  }
  const numbers = (where: SQL) => sql`SELECT n FROM (${newest(sql`${inWorkspace} AND ${where}`, most + MAX_ROWS)})`;
  const tried = numbers(sql`e.status = 'queued' AND e.attempts > 0`);
  const untried = numbers(sql`e.status = 'queued' AND e.id >= ${oldestDue(ctx)}`);
  const [isDue, isWaiting] = [sql`o.due_at <= ${ctx.now()}`, sql`o.due_at > ${ctx.now()}`];
  const candidates =
    status === "sending"
      ? sql`SELECT r.value FROM (${outboxRows(ctx, isDue)}) o CROSS JOIN json_each(o.ref) r WHERE o.token IS NOT NULL`
      : sql`${tried} UNION ${untried} UNION SELECT r.value FROM (
          ${outboxRows(ctx, isDue)} UNION ALL ${outboxRows(ctx, isWaiting)}
          UNION ALL SELECT * FROM (SELECT q.ref, NULL FROM quarantine q WHERE q.workspace = ${ctx.workspace.number} LIMIT ${MAX_ROWS})
        ) o CROSS JOIN json_each(iif(json_valid(o.ref), o.ref, '[]')) r`;
  return newest(sql`+${inWorkspace} AND e.n IN (${candidates}) AND ${shownStatus} = ${status}`, most);
}

/** Returns SQL that selects the first outbox rows of a workspace, and of its broadcasts, by when they are due. `due`: a condition on that. */
function outboxRows({ workspace: { number } }: CallerCtx, due: SQL): SQL {
  return sql`
    SELECT * FROM (SELECT o.ref, o.token FROM outbox o
       WHERE o.workspace = ${number} AND o.broadcast IS NULL AND o.kind = 'deliver' AND ${due} ORDER BY o.due_at LIMIT ${MAX_ROWS})
    UNION ALL
    SELECT * FROM (SELECT o.ref, o.token FROM broadcasts b CROSS JOIN outbox o ON o.broadcast = b.n
       WHERE b.workspace = ${number} AND b.status = 'sending' AND ${due} LIMIT ${MAX_ROWS})`;
}

/**
 * Returns SQL of a UUIDv7 that no queued email of a workspace is older than which was not tried yet and does not wait: such an email is as
 * old as its outbox row.
 */
function oldestDue({ workspace: { number } }: CallerCtx): SQL {
  const due = sql`min(coalesce((SELECT min(o.due_at) FROM outbox o WHERE o.workspace = ${number} AND o.broadcast IS NULL), ${LAST_TIME}),
    coalesce((SELECT min((SELECT min(o.due_at) FROM outbox o WHERE o.broadcast = b.n)) FROM broadcasts b
      WHERE b.workspace = ${number} AND b.status = 'sending'), ${LAST_TIME}))`;
  return sql`(SELECT substr(hex, 1, 8) || '-' || substr(hex, 9) FROM (
    SELECT printf('%012x', max(0, ${due} - ${ID_AGE_MS})) AS hex))`;
}
