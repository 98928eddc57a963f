import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { notFound } from "../../lib/errors.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import { allTopicsEvents, wakeForTopicEvents } from "../topics/index.ts";
import { copyToContacts } from "./copy-to-contacts.ts";
import type { WorkspaceAddress } from "./domain-failures.ts";
import { removeSoftBouncesStatement } from "./soft-bounces.ts";

const REMOVE = "DELETE FROM suppressions WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2))";

/** Removes an address from the suppression list of the workspace, for every reason. Throws 404 when it is not listed. */
export async function removeSuppression(ctx: CallerCtx, email: string): Promise<void> {
  const key = parseAddress(email)?.key;
  if (key === undefined) throw notFound("Suppression");
  const audit = () => auditIfChangedStatement(ctx, { action: "suppression.removed", target: key });
  const person = { workspace: ctx.workspace.number, email: key };
  const events = allTopicsEvents(ctx, person, "subscribed");
  const [recorded, removed, , ended] = await ctx.db.batch([
    events.statement,
    ctx.db.prepare(REMOVE).bind(ctx.workspace.number, JSON.stringify(formsOf(key))),
    audit(),
    removeSoftBouncesStatement(ctx, person),
    audit(),
  ]);
  if (removed?.meta.changes === 0 && ended?.meta.changes === 0) throw notFound("Suppression");
  await wakeForTopicEvents(ctx, events, recorded);
  await copyToContacts(ctx, ctx.workspace.number, [key]);
}

const END = [
  `UPDATE suppressions SET unsubscribed_at = NULL
    WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND reason <> 'unsubscribe' AND unsubscribed_at IS NOT NULL`,
  "DELETE FROM suppressions WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND reason = 'unsubscribe'",
];

/** Returns the statements that end the unsubscribe of a person from all bulk mail. Entries with another reason stay. */
export function endUnsubscribeStatements(ctx: Ctx, { workspace, email }: WorkspaceAddress): MainStatement[] {
  const forms = JSON.stringify(formsOf(email));
  return END.map((sql) => ctx.db.prepare(sql).bind(workspace, forms));
}

/** An address that a retry proved to work, in canonical form. `before` is when the retry was made. */
type BounceEntry = { workspace: number; email: string; before: number };

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
