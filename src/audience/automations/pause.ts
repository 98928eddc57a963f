import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { wakeWebhooks } from "../../platform/webhook-events/wake.ts";
import { changeAutomation } from "./change.ts";
import { pauseEmailsStatement } from "./pause-statements.ts";
import type { AutomationOut } from "./schema.ts";
import { pausedStatements } from "./webhook-events.ts";

/** Pauses an automation: events begin no runs, runs stay, emails that have not left wait. Throws 404, 409 unless it is active. */
export async function pauseAutomation(caller: CallerCtx, id: string): Promise<AutomationOut> {
  requireAllDomains(caller);
  const response = await changeAutomation(caller, id, "pause", (ctx, { workspace, n }) => ({
    sweep: null,
    statements: [
      pauseEmailsStatement(ctx, { workspace, n }),
      ...pausedStatements(ctx, { n, status: "paused", reason: null }),
    ],
  }));
  if (caller.settings.liveWebhooks) await wakeWebhooks(caller);
  await caller.db.batch([auditStatement(caller, { action: "automation.paused", target: response.id, detail: {} })]);
  return response;
}
