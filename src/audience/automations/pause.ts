import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/index.ts";
import { onShardsOf } from "../../platform/jobs/shards.ts";
import { wakeWebhooks } from "../../platform/webhook-events/index.ts";
import { changeAutomation } from "./change.ts";
import { pauseEmailsStatement } from "./pause-statements.ts";
import { onAutomations } from "./queries.ts";
import type { AutomationOut } from "./schema.ts";
import { pausedStatements } from "./webhook-events.ts";

/**
 * Pauses an active automation: events begin no runs, runs stay where they are, and emails that have not left wait. Throws 404, and 409 for
 * one that is not active.
 */
export async function pauseAutomation(caller: CallerCtx, id: string): Promise<AutomationOut> {
  requireAllDomains(caller);
  let numbers = { workspace: caller.workspace.number, n: 0 };
  const response = await changeAutomation(caller, id, "pause", (ctx, { workspace, n }) => {
    numbers = { workspace, n };
    return {
      sweep: null,
      statements: [pauseEmailsStatement(ctx, numbers), ...pausedStatements(ctx, { n, status: "paused", reason: null })],
    };
  });
  if (caller.settings.liveWebhooks) await wakeWebhooks(onAutomations(caller));
  for (const shard of await onShardsOf(caller, numbers.workspace)) await pauseEmailsStatement(shard, numbers).run();
  await caller.db.batch([auditStatement(caller, { action: "automation.paused", target: response.id, detail: {} })]);
  return response;
}
