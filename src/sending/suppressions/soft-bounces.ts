import { DAY_MS } from "../../lib/time.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import type { FailedAddress, WorkspaceAddress } from "./domain-failures.ts";

/** Soft bounces in a row, and the least time from the first to the last, that list an address. */
const BOUNCES = 3;
const LEAST_MS = 3 * DAY_MS;
/**
 * A relay accepts an email, and reports its bounce when it gives up: after five days in the default of Postfix. An accepted email
 * without a report counts as delivered then.
 */
const REPORTED_WITHIN_MS = 5 * DAY_MS;
/** A series that does not go on is deleted after so many days, which is more than a quarter. */
export const SOFT_BOUNCE_DAYS = 120;

/**
 * A fact about an email that concerns the soft bounces of its recipient: the egress refused it (`refused`), a report came later
 * (`returned`), the egress accepted it (`accepted`), or it was delivered for certain (`delivered`).
 */
export type SoftBounceFact = FailedAddress & { fact: "refused" | "returned" | "accepted" | "delivered" };

const IS_DELIVERED = "(accepted_at <= ?3 AND accepted_id <> excluded.email_ids->>'$[0]')";

// The third email and each one after it may list the address.
const RECORD = `
  INSERT INTO soft_bounces (workspace, email, email_ids, is_refusal, first_at, last_at)
  SELECT value->>'workspace', value->>'email', json_array(value->>'emailId'), value->>'fact' = 'refused', ?2, ?2
    FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET
    email_ids = CASE WHEN ${IS_DELIVERED} THEN excluded.email_ids
      WHEN json_array_length(email_ids) < ${BOUNCES} OR (listed_at IS NULL AND first_at <= ?4) THEN json_insert(email_ids, '$[#]', excluded.email_ids->>'$[0]')
      ELSE email_ids END,
    first_at = CASE WHEN ${IS_DELIVERED} THEN ?2 ELSE first_at END,
    listed_at = CASE WHEN ${IS_DELIVERED} THEN NULL WHEN listed_at IS NOT NULL THEN listed_at
      WHEN json_array_length(email_ids) + 1 >= ${BOUNCES} AND first_at <= ?4 THEN ?2 END,
    is_refusal = excluded.is_refusal, last_at = ?2, accepted_id = NULL, accepted_at = NULL
   WHERE NOT EXISTS (SELECT 1 FROM json_each(soft_bounces.email_ids) WHERE value = excluded.email_ids->>'$[0]')`;

const KEYS = "(workspace, email) IN (SELECT value->>'workspace', value->>'email' FROM json_each(?1))";

const END_DELIVERED = `DELETE FROM soft_bounces WHERE ${KEYS} RETURNING workspace, email`;

// After refusals the egress hands on what the receiver says; after reports it says nothing yet.
const END_ACCEPTED = `
  DELETE FROM soft_bounces WHERE ${KEYS} AND (is_refusal OR (accepted_at <= ?2 AND NOT EXISTS (
    SELECT 1 FROM json_each(?1) j WHERE j.value->>'emailId' = accepted_id)))
  RETURNING workspace, email`;

const NOTE_ACCEPTED = `
  UPDATE soft_bounces SET accepted_id = j.value->>'emailId', accepted_at = ?2 FROM json_each(?1) j
   WHERE soft_bounces.workspace = j.value->>'workspace' AND soft_bounces.email = j.value->>'email' AND accepted_id IS NULL`;

/**
 * Returns the statements that record soft bounces and end the series of recipients who got an email. They run before the batch of the
 * outcome that causes them and may be repeated. Those that end a series return its address.
 */
export function softBounceStatements(ctx: Ctx, facts: readonly SoftBounceFact[]): MainStatement[] {
  const now = ctx.now();
  const of = (...kinds: SoftBounceFact["fact"][]) => facts.filter(({ fact }) => kinds.includes(fact));
  const [bounced, accepted, delivered] = [of("refused", "returned"), of("accepted"), of("delivered")];
  const { db } = ctx;
  const reported = now - REPORTED_WITHIN_MS;
  return [
    ...(delivered.length > 0 ? [db.prepare(END_DELIVERED).bind(JSON.stringify(delivered))] : []),
    ...(accepted.length > 0
      ? [
          db.prepare(END_ACCEPTED).bind(JSON.stringify(accepted), reported),
          db.prepare(NOTE_ACCEPTED).bind(JSON.stringify(accepted), now),
        ]
      : []),
    ...(bounced.length > 0 ? [db.prepare(RECORD).bind(JSON.stringify(bounced), now, reported, now - LEAST_MS)] : []),
  ];
}

/** Returns the statement that finds which of these addresses have had soft bounces, as WorkspaceAddress. */
export function findSoftBouncesStatement(ctx: Pick<Ctx, "db">, addresses: readonly WorkspaceAddress[]): MainStatement {
  return ctx.db
    .prepare(
      `SELECT b.workspace, b.email FROM json_each(?1) j
        CROSS JOIN soft_bounces b ON b.workspace = j.value->>'workspace' AND b.email = j.value->>'email'`,
    )
    .bind(JSON.stringify(addresses));
}

/** Returns the statement that removes an address from those that get no bulk mail. It changes one row when it was listed. */
export function removeSoftBouncesStatement(ctx: Ctx, { workspace, email }: WorkspaceAddress): MainStatement {
  return ctx.db
    .prepare(
      "DELETE FROM soft_bounces WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND listed_at IS NOT NULL",
    )
    .bind(workspace, JSON.stringify(formsOf(email)));
}
