import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";

/** An address, in canonical form, that a workspace must not mail. */
export interface SuppressionEntry {
  workspace: number;
  email: string;
  reason: "bounce" | "complaint" | "unsubscribe" | "manual";
}

// What binds all mail takes the place of an unsubscribe, which binds bulk mail only; nothing else is overwritten.
const SUPPRESS = `
  INSERT INTO suppressions (workspace, email, reason, created_at)
  SELECT value->>'workspace', value->>'email', value->>'reason', ?2 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at
   WHERE suppressions.reason = 'unsubscribe' AND excluded.reason <> 'unsubscribe'`;

/**
 * Puts addresses on suppression lists, as a statement of the batch that knows why. Safe to run twice. It changes one row
 * for each address that was not there or takes the place of an unsubscribe; `at` is when, as the row will say.
 */
export function suppressStatement(ctx: Ctx, entries: readonly SuppressionEntry[], at = ctx.now()): D1PreparedStatement {
  return mailDb(ctx).prepare(SUPPRESS).bind(JSON.stringify(entries), at);
}
