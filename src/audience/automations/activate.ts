import { type CallerCtx, requireAllDomains, requireScopes } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { wakeAutomations } from "../../platform/person-events/wake.ts";
import { requireSendingAllowed } from "../../sending/emails/index.ts";
import { keepActivity, referencesOf } from "../conditions/index.ts";
import { changeAutomation } from "./change.ts";
import { conditionsOf, type Definition, sendsEmail } from "./definition.ts";
import { isChanged, prepareVersion } from "./publish.ts";
import type { AutomationOut } from "./schema.ts";

const RESUME_EMAILS = `
  UPDATE broadcasts SET paused_at = NULL, status = 'sending' WHERE workspace = ?1 AND automation = ?2 AND status <> 'draft'`;

/**
 * Activates an automation: people enter it from now on, and those who were inside when it was paused go on. What was changed since is a new
 * version. Throws 403 when the account or workspace may not send, and without `emails:send` for one that sends, 404, 409 for one that is
 * archived or active, and 422 for what it names that does not exist, senders that may not send, and texts that cannot be rendered.
 */
export async function activateAutomation(caller: CallerCtx, id: string): Promise<AutomationOut> {
  requireAllDomains(caller);
  requireSendingAllowed(caller, "broadcast");
  const response = await changeAutomation(caller, id, "activate", async (ctx, row) => {
    const definition = JSON.parse(row.definition) as Definition;
    if (sendsEmail(definition)) requireScopes(ctx.actor, "emails:send");
    if (referencesOf(...conditionsOf(definition)).activity) await keepActivity(ctx);
    const version = (await isChanged(ctx, row)) ? await prepareVersion(ctx, row, definition) : null;
    const resume = ctx.mail.prepare(RESUME_EMAILS).bind(row.workspace, row.n);
    return { sweep: "resume", statements: [...(version?.statements ?? []), resume] };
  });
  await caller.db.batch([auditStatement(caller, { action: "automation.activated", target: response.id, detail: {} })]);
  await wakeAutomations(caller);
  await caller.wake([{ dueAt: caller.now(), id: caller.newId(), kind: "bulk" }]);
  return response;
}
