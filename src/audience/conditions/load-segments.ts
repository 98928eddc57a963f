import type { MailCtx } from "../../platform/context.ts";
import { type Condition, limits, referencesOf } from "./conditions.ts";

const FIND = "SELECT id, conditions FROM segments WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))";

/**
 * Returns the conditions of segments of a workspace by id, with those of the segments inside them. Missing ones are left out. Makes one
 * D1 call for each level of segments, at most three.
 */
export async function loadSegments(
  ctx: MailCtx,
  workspace: number,
  ids: readonly string[],
): Promise<Map<string, Condition>> {
  const segments = new Map<string, Condition>();
  let wanted = [...new Set(ids)];
  for (let level = 1; level <= limits.segmentDepth && wanted.length > 0; level++) {
    const values = [workspace, JSON.stringify(wanted)];
    const results = await ctx.mail.listRows<{ id: string; conditions: string }>(FIND, ...values);
    const found = results.map(({ id, conditions }) => ({ id, condition: JSON.parse(conditions) as Condition }));
    for (const { id, condition } of found) segments.set(id, condition);
    const inner = referencesOf(...found.map(({ condition }) => condition)).segments;
    wanted = inner.filter((id) => !segments.has(id));
  }
  return segments;
}
