import type { MailCtx } from "../../../platform/context.ts";
import { type Condition, loadPeople, loadSegments, type Person, referencesOf } from "../../conditions/index.ts";

/** Metadata by which times are told (docs/contract/automations.md#time-zones). */
const ZONE_FIELD = "timezone";

/** Returns people of a workspace by address, with what conditions and times read, and the segments that the conditions name. */
export async function readPeople(
  ctx: MailCtx,
  workspace: number,
  keys: readonly string[],
  conditions: readonly Condition[],
): Promise<{ people: ReadonlyMap<string, Person>; segments: ReadonlyMap<string, Condition> }> {
  const segments = await loadSegments(ctx, workspace, referencesOf(...conditions).segments);
  const references = referencesOf(...conditions, ...segments.values());
  const people = await loadPeople(ctx, workspace, [...new Set(keys)], {
    ...references,
    fields: [...new Set([...references.fields, ZONE_FIELD])],
  });
  return { people, segments };
}
