import type {
  Ctx,
  DatabaseKind,
  MailCtx,
  MailStatement,
  OutboxCtx,
  OutboxKind,
  Statement,
  WakeUp,
} from "../context.ts";
import { CLAIM_EMAILS, CLAIM_ROWS, LEASE_MS } from "./rules.ts";

/** A claim on outbox rows: each has `due_at = until` and this token. */
export interface Lease {
  token: string;
  /** End of the lease, in milliseconds since 1970. */
  until: number;
}

/** A claimed row. `claims` includes this claim. */
export interface ClaimedRow {
  id: string;
  kind: string;
  ref: string;
  claims: number;
}

/** Returns a lease with a new token that ends in `ms` milliseconds. */
export function newLease(ctx: Ctx, ms: number = LEASE_MS): Lease {
  return { token: ctx.newId(), until: ctx.now() + ms };
}

// The named rows come first, then the oldest due rows of the kind. A claimed row has `due_at` in the future. Rows with a
// claim are not added: a row that interrupts its runs must not add to the claims of the rows around it. The key begins
// with `due_at`, so this reads at most one outbox row for each that may still be added, whatever the size of the outbox. Of two rows
// with one id the second is left to a later claim: an error would keep the mail of all workspaces.
const CLAIM = `
  WITH named AS MATERIALIZED (
    SELECT o.due_at, o.id, json_array_length(o.ref) AS emails, j.key AS position
      FROM json_each(?1) j CROSS JOIN outbox o ON o.due_at = j.value->>'dueAt' AND o.id = j.value->>'id'
  ), oldest AS (
    SELECT due_at, id, kind, claims, ref FROM outbox WHERE due_at <= ?6
     ORDER BY due_at, id LIMIT max(0, ?7 - (SELECT count(*) FROM named))
  ), candidates AS (
    SELECT due_at, id, emails, position FROM named
    UNION ALL
    SELECT due_at, id, json_array_length(ref), ?7 FROM oldest
     WHERE kind = ?5 AND claims = 0 AND id NOT IN (SELECT id FROM named)
  )
  UPDATE OR IGNORE outbox SET due_at = ?2, token = ?3, claims = claims + 1
    FROM (SELECT due_at, id, emails, sum(emails) OVER (ORDER BY position, due_at, id) AS total FROM candidates) due
   WHERE outbox.due_at = due.due_at AND outbox.id = due.id AND (due.total <= ?4 OR due.total = due.emails)
  RETURNING outbox.id, outbox.kind, outbox.ref, outbox.claims`;

/**
 * Claims outbox rows by moving `due_at` to the lease's end. The update matches the old `due_at`, so a row claimed by
 * another run is skipped, as are rows beyond CLAIM_ROWS rows or `maxEmails` emails. With `addDue` the claim also takes
 * the oldest due rows of that kind up to these bounds, so that claims fill under load although each queue message names
 * few rows. Its result is a list of ClaimedRow.
 */
export function claimStatement<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  rows: readonly WakeUp[],
  lease: Lease,
  addDue: OutboxKind | null = null,
  maxEmails = CLAIM_EMAILS,
): Statement<Kind> {
  const named = JSON.stringify(rows.map(({ dueAt, id }) => ({ dueAt, id })));
  const maxRows = addDue === null ? 0 : CLAIM_ROWS;
  return ctx.outbox.prepare(CLAIM).bind(named, lease.until, lease.token, maxEmails, addDue, ctx.now(), maxRows);
}

/** Finds the rows under a lease, as ClaimedRow. */
export function heldRowsStatement<Kind extends DatabaseKind>(ctx: OutboxCtx<Kind>, lease: Lease): Statement<Kind> {
  return ctx.outbox
    .prepare("SELECT id, kind, ref, claims FROM outbox WHERE due_at = ?1 AND token = ?2")
    .bind(lease.until, lease.token);
}

/** Moves the end of the lease on `ids` to `until`. If it changes fewer rows than ids, the lease was lost. */
export function renewStatement<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  lease: Lease,
  until: number,
  ids: readonly string[],
): Statement<Kind> {
  return ctx.outbox
    .prepare(
      "UPDATE outbox SET due_at = ?1 WHERE due_at = ?2 AND id IN (SELECT value FROM json_each(?3)) AND token = ?4",
    )
    .bind(until, lease.until, JSON.stringify(ids), lease.token);
}

/** Releases rows whose emails were not tried: they are due at `dueAt` and their claim does not count. */
export function releaseStatement<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  lease: Lease,
  ids: readonly string[],
  dueAt = ctx.now(),
): Statement<Kind> {
  return ctx.outbox
    .prepare(
      `UPDATE outbox SET due_at = ?1, token = NULL, claims = max(claims - 1, 0)
        WHERE due_at = ?2 AND id IN (SELECT value FROM json_each(?3)) AND token = ?4`,
    )
    .bind(dueAt, lease.until, JSON.stringify(ids), lease.token);
}

/** Deletes finished rows. If it deletes fewer rows than ids, the lease was lost. */
export function finishStatement<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  lease: Lease,
  ids: readonly string[],
): Statement<Kind> {
  return ctx.outbox
    .prepare("DELETE FROM outbox WHERE due_at = ?1 AND id IN (SELECT value FROM json_each(?2)) AND token = ?3")
    .bind(lease.until, JSON.stringify(ids), lease.token);
}

// Rows are never empty by it: the last emails of one leave with `finishStatement`.
const SHRINK = `
  UPDATE outbox SET ref = (
    SELECT json_group_array(r.value) FROM json_each(outbox.ref) r WHERE r.value NOT IN (SELECT value FROM json_each(?4)))
   WHERE due_at = ?1 AND id = ?2 AND token = ?3`;

/** Removes emails, by their numbers, from a row that lists others too. */
export function shrinkStatement(
  ctx: Pick<MailCtx, "mail">,
  lease: Lease,
  id: string,
  numbers: readonly number[],
): MailStatement {
  return ctx.mail.prepare(SHRINK).bind(lease.until, id, lease.token, JSON.stringify(numbers));
}

/**
 * Returns the end of the lease that holds all of these rows under this token, or null when there is none. `possible`
 * lists the two ends that it may have. Needed when a batch that seemed to fail may have committed.
 */
export async function findLeaseEnd(
  ctx: OutboxCtx,
  token: string,
  ids: readonly string[],
  possible: readonly [number, number],
): Promise<number | null> {
  const { results } = await ctx.outbox
    .prepare(
      `SELECT due_at AS until, count(*) AS rows FROM outbox
        WHERE due_at IN (?1, ?2) AND token = ?3 AND id IN (SELECT value FROM json_each(?4)) GROUP BY due_at`,
    )
    .bind(...possible, token, JSON.stringify(ids))
    .all<{ until: number; rows: number }>();
  const [lease] = results;
  return lease && lease.rows === ids.length ? lease.until : null;
}

/** A row for a later attempt that replaces a claimed one. */
export interface RescheduledRow {
  dueAt: number;
  id: string;
  ref: string;
  /** Id of the claimed row that it replaces. */
  from: string;
  /** 1 when a run may have sent this email without writing its outcome, so that the next claim counts as a repeat; else 0. */
  claims: 0 | 1;
  /**
   * `waiting` when the attempt failed before MAIL FROM, so that a recovered egress releases the row
   * (docs/contract/delivery.md#outages).
   */
  outage: "waiting" | null;
}

const RESCHEDULE = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref, claims, outage, broadcast)
  SELECT j.value->>'dueAt', j.value->>'id', o.kind, j.value->>'ref', j.value->>'claims', j.value->>'outage', o.broadcast
    FROM json_each(?1) j CROSS JOIN outbox o ON o.due_at = ?2 AND o.id = j.value->>'from' AND o.token = ?3`;

/**
 * Inserts rows for later attempts of emails, of the kind of the row they replace, each only while the lease on that row
 * is held: a run that lost its lease must not add a second row for an email that another run has claimed. Must precede
 * finishStatement.
 */
export function rescheduleStatement(
  ctx: Pick<MailCtx, "mail">,
  lease: Lease,
  rows: readonly RescheduledRow[],
): MailStatement {
  return ctx.mail.prepare(RESCHEDULE).bind(JSON.stringify(rows), lease.until, lease.token);
}

/**
 * Runs a claim. Each time its connection to D1 is lost, returns what `findHeld` reads under the lease: a claim that has
 * committed would keep its rows from every run for two minutes. A claim that holds nothing (null) is made again, once.
 */
export async function claimOrFindHeld<Claimed>(
  ctx: Pick<OutboxCtx, "log">,
  claim: () => Promise<Claimed>,
  findHeld: () => Promise<Claimed | null>,
): Promise<Claimed> {
  for (let isRepeated = false; ; isRepeated = true)
    try {
      return await claim();
    } catch (error) {
      ctx.log("outbox.claim.repeated", { error: String(error) });
      const held = await findHeld();
      if (held !== null) return held;
      if (isRepeated) throw error;
    }
}

/** Claims outbox rows, except those that another run has claimed, also when the connection to D1 is lost. */
export function claimRows<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  rows: readonly WakeUp[],
  lease: Lease,
): Promise<ClaimedRow[]> {
  return claimOrFindHeld(
    ctx,
    async () => (await claimStatement(ctx, rows, lease).all<ClaimedRow>()).results,
    async () => {
      const { results: held } = await heldRowsStatement(ctx, lease).all<ClaimedRow>();
      return held.length > 0 ? held : null;
    },
  );
}
