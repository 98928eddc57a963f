import type { DatabaseKind, MailCtx, MailStatement, OutboxCtx, Statement } from "../context.ts";
import { LEASE_MS } from "./rules.ts";

/** A claim on outbox rows: who knows the token of a row holds it, until another claim replaces the token. */
export interface Lease {
  token: string;
  /** End of the lease as its holder knows it, in milliseconds since 1970. */
  until: number;
}

/** Returns a lease with a new token that ends in LEASE_MS. */
export const newLease = (ctx: Pick<OutboxCtx, "newId" | "now">): Lease => ({
  token: ctx.newId(),
  until: ctx.now() + LEASE_MS,
});

const LEASED = "id IN (SELECT value FROM json_each(?1)) AND token = ?2";

/** Returns the statement that makes the lease on `ids` last until `until` at least. If it changes fewer rows than ids, the lease was lost. */
export function renewStatement<Kind extends DatabaseKind>(
  { outbox }: OutboxCtx<Kind>,
  { token }: Lease,
  until: number,
  ids: readonly string[],
): Statement<Kind> {
  return outbox
    .prepare(`UPDATE outbox SET leased_until = max(leased_until, ?3) WHERE ${LEASED}`)
    .bind(JSON.stringify(ids), token, until);
}

/** Assignments of a row that no run holds any more. */
export const UNLEASED = "token = NULL, leased_until = 0";

/** Returns the statement that releases rows: they are due at `dueAt`. Without `keepsClaims` their claim does not count. */
export function releaseStatement<Kind extends DatabaseKind>(
  { outbox }: OutboxCtx<Kind>,
  { token }: Lease,
  ids: readonly string[],
  dueAt: number,
  keepsClaims = false,
): Statement<Kind> {
  return outbox
    .prepare(`UPDATE outbox SET due_at = ?3, ${UNLEASED}, claims = max(claims - ?4, 0) WHERE ${LEASED}`)
    .bind(JSON.stringify(ids), token, dueAt, keepsClaims ? 0 : 1);
}

/** Returns the statement that deletes finished rows. */
export function finishStatement<Kind extends DatabaseKind>(
  { outbox }: OutboxCtx<Kind>,
  { token }: Lease,
  ids: readonly string[],
): Statement<Kind> {
  return outbox.prepare(`DELETE FROM outbox WHERE ${LEASED}`).bind(JSON.stringify(ids), token);
}

/** A row for a later attempt of an email, in place of its part of a claimed row. */
export interface NextRow {
  dueAt: number;
  /** Id of the email, which is that of its own row too. */
  id: string;
  ref: string;
  /** Id of the claimed row, and the token of its lease. */
  from: string;
  token: string;
  /** 1 when a run may have sent this email without writing its outcome, so that the next claim counts as a repeat; else 0. */
  claims: 0 | 1;
  /**
   * `waiting` when the attempt failed before MAIL FROM, so that a recovered egress releases the row (docs/contract/delivery.md#outages).
   */
  outage: "waiting" | null;
}

// The row of a lone email is its own: it is changed in place.
const INSERT_NEXT = `
  INSERT INTO outbox (id, due_at, kind, ref, claims, outage, broadcast, workspace)
  SELECT j.value->>'id', j.value->>'dueAt', o.kind, j.value->>'ref', j.value->>'claims', j.value->>'outage', o.broadcast, o.workspace
    FROM json_each(?1) j CROSS JOIN outbox o ON o.id = j.value->>'from' AND o.token = j.value->>'token'
   WHERE o.id = j.value->>'id' OR j.value->>'ref' IN (SELECT json_array(r.value) FROM json_each(o.ref) r)
  ON CONFLICT DO UPDATE SET due_at = excluded.due_at, ref = excluded.ref, claims = excluded.claims, outage = excluded.outage,
    stopped = NULL, ${UNLEASED} WHERE outbox.token IN (SELECT value->>'token' FROM json_each(?1))`;

/**
 * Returns the statement that gives emails rows for later attempts, of the kind of the row that they leave, each only while the lease on
 * that is held and lists it: a run or a report that lost its lease must not add a row for an email that another run has claimed.
 * Must precede the statements that end the claimed rows.
 */
export function nextRowsStatement(ctx: Pick<MailCtx, "mail">, rows: readonly NextRow[]): MailStatement {
  return ctx.mail.prepare(INSERT_NEXT).bind(JSON.stringify(rows));
}

/** An email, by its number, that leaves a claimed row. */
export interface Leaving {
  row: string;
  token: string;
  n: number;
}

const LEFT_ROW = "o.id = j.value->>'row' AND o.token = j.value->>'token'";
const IS_LEFT = "r.value NOT IN (SELECT value FROM json_each(j.value->'numbers'))";

const DELETE_EMPTY = `
  DELETE FROM outbox WHERE id IN (
    SELECT o.id FROM json_each(?1) j CROSS JOIN outbox o ON ${LEFT_ROW}
     WHERE NOT EXISTS (SELECT 1 FROM json_each(o.ref) r WHERE ${IS_LEFT}))`;

const SHRINK = `
  UPDATE outbox AS o SET ref = (SELECT json_group_array(r.value) FROM json_each(o.ref) r WHERE ${IS_LEFT})
  FROM json_each(?1) j WHERE ${LEFT_ROW}`;

/** Returns the statements that remove emails from rows of which others may be left: one write for each row, however many leave. */
export function leaveStatements(ctx: Pick<MailCtx, "mail">, leaving: readonly Leaving[]): MailStatement[] {
  if (leaving.length === 0) return [];
  const groups = Map.groupBy(leaving, ({ row, token }) => JSON.stringify({ row, token }));
  const rows = [...groups].map(([key, group]) => ({ ...JSON.parse(key), numbers: group.map(({ n }) => n) }));
  const values = JSON.stringify(rows);
  return [ctx.mail.prepare(DELETE_EMPTY).bind(values), ctx.mail.prepare(SHRINK).bind(values)];
}
