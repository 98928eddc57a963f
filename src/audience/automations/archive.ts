import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/index.ts";
import { mailDb } from "../../platform/db/client.ts";
import { onShardsOf } from "../../platform/jobs/shards.ts";
import { wakeAutomations } from "../../platform/person-events/index.ts";
import { endActivity } from "../conditions/index.ts";
import { changeAutomation } from "./change.ts";
import { getAutomation } from "./queries.ts";
import type { AutomationOut } from "./schema.ts";

const CANCEL_EMAILS =
  "UPDATE broadcasts SET status = 'cancelled', paused_at = NULL WHERE workspace = ?1 AND automation = ?2";

/**
 * Archives an automation for good: all runs end, and emails that have not left are cancelled. Throws 404, and 409 for one that is archived.
 */
export async function archiveAutomation(caller: CallerCtx, id: string): Promise<AutomationOut> {
  requireAllDomains(caller);
  const { n, workspace } = await getAutomation(caller, id);
  const response = await changeAutomation(caller, id, "archive", () => ({ sweep: "end" }));
  for (const shard of await onShardsOf(caller, workspace)) {
    await mailDb(shard).prepare(CANCEL_EMAILS).bind(workspace, n).run();
    await wakeAutomations(shard);
    // A run that finds the waiting emails cancels them.
    await shard.wake([{ dueAt: shard.now(), id: shard.newId(), kind: "bulk" }]);
  }
  await endActivity(caller);
  await caller.db.batch([auditStatement(caller, { action: "automation.archived", target: response.id, detail: {} })]);
  return response;
}
