import type { Ctx } from "../context.ts";
import type { MainStatement } from "../db/database.ts";

/** An entry of a suppression list. `email` is in canonical form; `workspace` is the number of the workspace. */
export interface SuppressionEntry {
  workspace: number;
  email: string;
  reason: "bounce" | "complaint" | "unsubscribe" | "manual";
  /** The email whose outcome caused the entry: preflight of that email ignores it. Null: no email. */
  emailId: string | null;
}

/**
 * End of every statement that inserts suppressions. A stronger reason replaces a weaker one: `unsubscribe` applies to
 * bulk mail only, and a bounce does not stop a retry, but a complaint and a manual entry do (decisions 4).
 */
export const KEEP_STRONGER_REASON = `
  ON CONFLICT DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at, email_id = excluded.email_id
   WHERE (suppressions.reason = 'unsubscribe' AND excluded.reason <> 'unsubscribe')
      OR (suppressions.reason = 'bounce' AND excluded.reason IN ('complaint', 'manual'))`;

const SUPPRESS = `
  INSERT INTO suppressions (workspace, email, reason, created_at, email_id)
  SELECT value->>'workspace', value->>'email', value->>'reason', ?2, value->>'emailId' FROM json_each(?1) WHERE true
  ${KEEP_STRONGER_REASON}`;

/** Returns whether an entry with the second reason replaces one with the first, as the statement decides it. */
export function replacesReason(before: SuppressionEntry["reason"], after: SuppressionEntry["reason"]): boolean {
  if (before === "unsubscribe") return after !== "unsubscribe";
  return before === "bounce" && (after === "complaint" || after === "manual");
}

/**
 * Returns the statement that adds addresses to suppression lists; it runs before the batch of the outcome that causes it. It
 * is idempotent. It changes one row per address that is new or gets a stronger reason. `at` in milliseconds since 1970.
 */
export function suppressStatement(ctx: Ctx, entries: readonly SuppressionEntry[], at = ctx.now()): MainStatement {
  return ctx.db.prepare(SUPPRESS).bind(JSON.stringify(entries), at);
}
