import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { wakeAutomations } from "../../platform/person-events/wake.ts";
import { endActivity } from "../conditions/index.ts";
import { changeAutomation } from "./change.ts";
import type { AutomationOut } from "./schema.ts";

const CANCEL_EMAILS =
  "UPDATE broadcasts SET status = 'cancelled', paused_at = NULL WHERE workspace = ?1 AND automation = ?2";

/** Archives an automation: all runs end, and emails that have not left are cancelled. Throws 404, and 409 for an archived one. */
export async function archiveAutomation(caller: CallerCtx, id: string): Promise<AutomationOut> {
  requireAllDomains(caller);
  const response = await changeAutomation(caller, id, "archive", (ctx, { n, workspace }) => ({
    sweep: "end",
    statements: [ctx.mail.prepare(CANCEL_EMAILS).bind(workspace, n)],
  }));
  await wakeAutomations(caller);
  // A run that finds the waiting emails cancels them.
  await caller.wake([{ dueAt: caller.now(), id: caller.newId(), kind: "bulk" }]);
  await endActivity(caller);
  await caller.db.batch([auditStatement(caller, { action: "automation.archived", target: response.id, detail: {} })]);
  return response;
}
