import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { LEASE_MS } from "./rules.ts";
import type { WakeUp } from "./wake.ts";

/** A hold on some outbox rows: all were moved to `until`, and carry `token`. */
export interface Lease {
  token: string;
  /** Milliseconds since 1970: the rows' due_at while they are held. */
  until: number;
}

/** A row that was claimed. `claims` counts this claim. */
export interface ClaimedRow {
  id: string;
  kind: string;
  ref: string;
  claims: number;
}

export function newLease(ctx: Ctx): Lease {
  return { token: ctx.newId(), until: ctx.now() + LEASE_MS };
}

const CLAIM = `
  WITH woken AS MATERIALIZED (SELECT value->>'dueAt' AS due_at, value->>'id' AS id FROM json_each(?1))
  UPDATE outbox SET due_at = ?2, token = ?3, claims = claims + 1 FROM woken
   WHERE outbox.due_at = woken.due_at AND outbox.id = woken.id
  RETURNING outbox.id, outbox.kind, outbox.ref, outbox.claims`;

/**
 * Takes the rows that still stand where they were woken, and moves them to the end of the lease. A row that
 * has moved is somebody else's: the key is the compare-and-set. Its result is a list of ClaimedRow.
 */
export function claimStatement(ctx: Ctx, rows: readonly WakeUp[], lease: Lease): D1PreparedStatement {
  return mailDb(ctx)
    .prepare(CLAIM)
    .bind(JSON.stringify(rows.map(({ dueAt, id }) => ({ dueAt, id }))), lease.until, lease.token);
}

/** Holds `ids` longer. Rows changed fewer than ids: the lease was lost, and nothing may be started any more. */
export function renewStatement(ctx: Ctx, lease: Lease, until: number, ids: readonly string[]): D1PreparedStatement {
  return mailDb(ctx)
    .prepare(
      "UPDATE outbox SET due_at = ?1 WHERE due_at = ?2 AND id IN (SELECT value FROM json_each(?3)) AND token = ?4",
    )
    .bind(until, lease.until, JSON.stringify(ids), lease.token);
}

/** Lets go of rows whose mail was not begun: due at once, as if they had not been claimed. */
export function releaseStatement(
  ctx: Ctx,
  lease: Lease,
  ids: readonly string[],
  dueAt = ctx.now(),
): D1PreparedStatement {
  return mailDb(ctx)
    .prepare(
      `UPDATE outbox SET due_at = ?1, token = NULL, claims = max(claims - 1, 0)
        WHERE due_at = ?2 AND id IN (SELECT value FROM json_each(?3)) AND token = ?4`,
    )
    .bind(dueAt, lease.until, JSON.stringify(ids), lease.token);
}

/** Takes finished rows out. Rows changed fewer than ids: the lease was lost. */
export function finishStatement(ctx: Ctx, lease: Lease, ids: readonly string[]): D1PreparedStatement {
  return mailDb(ctx)
    .prepare("DELETE FROM outbox WHERE due_at = ?1 AND id IN (SELECT value FROM json_each(?2)) AND token = ?3")
    .bind(lease.until, JSON.stringify(ids), lease.token);
}

/**
 * Until when these rows are held under this token, among the times that are possible; null when they are not,
 * or not all. Asked when a batch that seemed to fail may have committed.
 */
export async function findLeaseEnd(
  ctx: Ctx,
  token: string,
  ids: readonly string[],
  possible: readonly [number, number],
): Promise<number | null> {
  const { results } = await mailDb(ctx)
    .prepare(
      `SELECT due_at AS until, count(*) AS rows FROM outbox
        WHERE due_at IN (?1, ?2) AND token = ?3 AND id IN (SELECT value FROM json_each(?4)) GROUP BY due_at`,
    )
    .bind(...possible, token, JSON.stringify(ids))
    .all<{ until: number; rows: number }>();
  const [held] = results;
  return held && held.rows === ids.length ? held.until : null;
}

/** A row to be written for later, in the place of a held one. */
export interface RescheduledRow {
  dueAt: number;
  id: string;
  ref: string;
  /** Id of the held row it comes from. */
  from: string;
  /** 1 when a run may have sent this mail without writing it down: its next claim is told. Else 0. */
  claims: 0 | 1;
}

const LATER = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref, claims)
  SELECT value->>'dueAt', value->>'id', ?2, value->>'ref', value->>'claims' FROM json_each(?1)
   WHERE EXISTS (SELECT 1 FROM outbox o WHERE o.due_at = ?3 AND o.id = value->>'from' AND o.token = ?4)`;

/**
 * Writes rows for later, each only while the lease on the row it comes from is held: a run that lost its
 * lease must not leave a second row for mail that somebody else now works on. Comes before finishStatement.
 */
export function rescheduleStatement(
  ctx: Ctx,
  lease: Lease,
  kind: WakeUp["kind"],
  rows: readonly RescheduledRow[],
): D1PreparedStatement {
  return mailDb(ctx).prepare(LATER).bind(JSON.stringify(rows), kind, lease.until, lease.token);
}
