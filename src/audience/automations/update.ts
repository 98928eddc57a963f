import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { changeAutomation } from "./change.ts";
import { sizeOf } from "./create.ts";
import type { Definition } from "./definition.ts";
import { prepareVersion } from "./publish.ts";
import type { AutomationOut, AutomationPatch } from "./schema.ts";

/**
 * Changes the given fields of an automation. The change of an active one is a new version: people who are inside finish theirs. Throws
 * 404, 409 for an archived one, 413, and 422 as `activateAutomation` does when it is active.
 */
export function updateAutomation(caller: CallerCtx, id: string, patch: AutomationPatch): Promise<AutomationOut> {
  requireAllDomains(caller);
  return changeAutomation(caller, id, "edit", async (ctx, row) => {
    const before = JSON.parse(row.definition) as Definition;
    const { trigger = before.trigger, entry = before.entry, steps = before.steps } = patch;
    const definition = JSON.stringify({ trigger, entry, steps });
    const changes = { ...(patch.name === undefined ? {} : { name: patch.name }), definition, size: sizeOf(definition) };
    if (row.status !== "active" || definition === row.definition) return changes;
    const { statements } = await prepareVersion(ctx, row, { trigger, entry, steps });
    return { ...changes, statements };
  });
}
