import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { NewRows } from "../../platform/db/has-room.ts";

/** An entry of a suppression list. `email` is in canonical form; `workspace` is the number of the workspace. */
export interface SuppressionEntry {
  workspace: number;
  email: string;
  reason: "bounce" | "complaint" | "unsubscribe" | "manual";
  /** The email whose outcome caused the entry: preflight of that email ignores it. Null: no email. */
  emailId: string | null;
  /** When it was made elsewhere, in milliseconds since 1970. Default: the time of the statement. */
  at?: number | undefined;
}

const REPLACES = `(
  (suppressions.reason = 'unsubscribe' AND excluded.reason <> 'unsubscribe')
   OR (suppressions.reason = 'bounce' AND excluded.reason IN ('complaint', 'manual')))`;

const replaced = (column: string) =>
  `${column} = CASE WHEN ${REPLACES} THEN excluded.${column} ELSE suppressions.${column} END`;

/**
 * End of every statement that inserts suppressions. A stronger reason replaces a weaker one: `unsubscribe` applies to bulk mail only, and a
 * bounce does not stop a retry, but a complaint and a manual entry do (docs/contract/suppressions.md#what-a-suppression-stops). The time of
 * an unsubscribe is kept beside a stronger reason, in either order.
 */
export const KEEP_STRONGER_REASON = `
  ON CONFLICT DO UPDATE SET ${["reason", "created_at", "email_id"].map(replaced).join(", ")},
    unsubscribed_at = coalesce(suppressions.unsubscribed_at,
      CASE suppressions.reason WHEN 'unsubscribe' THEN suppressions.created_at END, excluded.unsubscribed_at)
   WHERE ${REPLACES} OR (excluded.reason = 'unsubscribe' AND suppressions.reason <> 'unsubscribe'
                         AND suppressions.unsubscribed_at IS NULL)`;

const SUPPRESS = `
  INSERT INTO suppressions (workspace, email, reason, created_at, email_id, unsubscribed_at)
  SELECT value->>'workspace', value->>'email', value->>'reason', coalesce(value->>'at', ?2), value->>'emailId',
         CASE value->>'reason' WHEN 'unsubscribe' THEN coalesce(value->>'at', ?2) END FROM json_each(?1) WHERE true
  ${KEEP_STRONGER_REASON}`;

/** Returns the entries of a workspace that its list does not have yet, for `spendStatement`. */
export const newSuppressions = (entries: readonly SuppressionEntry[]): NewRows => ({
  count: `(SELECT count(DISTINCT j.value->>'email') FROM json_each(?2) j WHERE NOT EXISTS (
    SELECT 1 FROM suppressions s WHERE s.workspace = ?1 AND s.email = j.value->>'email'))`,
  json: JSON.stringify(entries),
});

/** Returns whether an entry with the second reason replaces one with the first, as the statement decides it. */
export function replacesReason(before: SuppressionEntry["reason"], after: SuppressionEntry["reason"]): boolean {
  if (before === "unsubscribe") return after !== "unsubscribe";
  return before === "bounce" && (after === "complaint" || after === "manual");
}

/**
 * Returns the statement that adds addresses to suppression lists; it runs before the batch of the outcome that causes it. It
 * is idempotent. It changes one row per address that is new, gets a stronger reason or unsubscribes for the first time. `at` in milliseconds since 1970.
 */
export function suppressStatement(ctx: Ctx, entries: readonly SuppressionEntry[], at = ctx.now()): MainStatement {
  return ctx.db.prepare(SUPPRESS).bind(JSON.stringify(entries), at);
}
