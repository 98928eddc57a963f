import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { changeAutomation } from "./change.ts";
import { sizeOf } from "./create.ts";
import type { Definition } from "./definition.ts";
import { prepareVersion } from "./publish.ts";
import type { AutomationOut, AutomationPatch } from "./schema.ts";

/**
 * Changes the given fields of an automation. The change of an active one is a new version: people who are inside finish theirs. Throws
 * 404, 409 for an archived one and when another call changes the trigger, entry or steps at the same time as this one, 413, and 422 as
 * `activateAutomation` does when it is active.
 */
export const updateAutomation = (caller: CallerCtx, id: string, patch: AutomationPatch): Promise<AutomationOut> => {
  let first: string | null = null;
  return editAutomation(caller, id, (_, json) => {
    first ??= json;
    if (first !== json && (patch.trigger ?? patch.entry ?? patch.steps) !== undefined)
      throw conflict("Another call changed the automation at the same time. Read it again");
    return patch;
  });
};

/**
 * Changes an automation by what `decide` says about its current definition, so that no change in between is lost: it is asked again
 * after one. Throws as `updateAutomation`, and what `decide` throws.
 */
export function editAutomation(
  caller: CallerCtx,
  id: string,
  decide: (definition: Definition, json: string, name: string) => AutomationPatch | Promise<AutomationPatch>,
): Promise<AutomationOut> {
  requireAllDomains(caller);
  return changeAutomation(caller, id, "edit", async (ctx, row) => {
    const before = JSON.parse(row.definition) as Definition;
    const patch = await decide(before, row.definition, row.name);
    const { trigger = before.trigger, entry = before.entry, steps = before.steps } = patch;
    const definition = JSON.stringify({ trigger, entry, steps });
    const changes = { ...(patch.name === undefined ? {} : { name: patch.name }), definition, size: sizeOf(definition) };
    if (row.status !== "active" || definition === row.definition) return changes;
    const { statements } = await prepareVersion(ctx, row, { trigger, entry, steps });
    return { ...changes, statements };
  });
}
