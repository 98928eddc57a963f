import type { Ctx, MainStatement } from "../../platform/context.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";

/** An address that a retry proved to work, in canonical form. `before` is when the retry was made. */
export interface BounceEntry {
  workspace: number;
  email: string;
  before: number;
}

const REMOVED = `
  reason = 'bounce' AND (workspace, email, created_at) IN (
    SELECT s.workspace, s.email, s.created_at FROM json_each(?1) j
     CROSS JOIN suppressions s ON s.workspace = j.value->>'workspace' AND s.email = j.value->>'email'
     WHERE s.created_at <= j.value->>'before')`;

// An address that also unsubscribed stays listed for bulk and broadcast mail.
const REMOVE_BOUNCES = [
  `UPDATE suppressions SET reason = 'unsubscribe', created_at = unsubscribed_at, email_id = NULL
    WHERE unsubscribed_at IS NOT NULL AND ${REMOVED}`,
  `DELETE FROM suppressions WHERE unsubscribed_at IS NULL AND ${REMOVED}`,
];

/** Returns the statements that end suppressions by bounces no newer than a retry. Safe to run twice. */
export function removeBouncesStatements(ctx: Ctx, entries: readonly BounceEntry[]): MainStatement[] {
  const all = entries.flatMap((entry) => formsOf(entry.email).map((email) => ({ ...entry, email })));
  return REMOVE_BOUNCES.map((sql) => ctx.db.prepare(sql).bind(JSON.stringify(all)));
}
