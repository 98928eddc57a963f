import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";

/** An entry of a suppression list. `email` is in canonical form; `workspace` is the number of the workspace. */
export interface SuppressionEntry {
  workspace: number;
  email: string;
  reason: "bounce" | "complaint" | "unsubscribe" | "manual";
}

// A reason that applies to all mail replaces `unsubscribe`, which applies to bulk mail only. No other row is changed.
const SUPPRESS = `
  INSERT INTO suppressions (workspace, email, reason, created_at)
  SELECT value->>'workspace', value->>'email', value->>'reason', ?2 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at
   WHERE suppressions.reason = 'unsubscribe' AND excluded.reason <> 'unsubscribe'`;

/**
 * Returns the statement that adds addresses to suppression lists; it runs in the batch of the event that causes it. It is
 * idempotent. It changes one row per address that is new or replaces `unsubscribe`. `at` in milliseconds since 1970.
 */
export function suppressStatement(ctx: Ctx, entries: readonly SuppressionEntry[], at = ctx.now()): D1PreparedStatement {
  return mailDb(ctx).prepare(SUPPRESS).bind(JSON.stringify(entries), at);
}
