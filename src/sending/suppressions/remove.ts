import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { notFound } from "../../lib/errors.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import { allTopicsEvents, wakeForTopicEvents } from "../topics/index.ts";
import { copyToContacts } from "./copy-to-contacts.ts";
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
