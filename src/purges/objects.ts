import type { Ctx } from "../context.ts";

/** Objects of one R2 list or delete call (R2 limits). */
const OBJECTS_PER_CALL = 1_000;

/** Deletes up to 1,000 objects whose keys start with `prefix`. Returns true when none is left. */
export async function deleteObjects(ctx: Ctx, prefix: string): Promise<boolean> {
  const { objects, truncated } = await ctx.env.CONTENT.list({ prefix, limit: OBJECTS_PER_CALL });
  if (objects.length > 0) await ctx.env.CONTENT.delete(objects.map(({ key }) => key));
  return !truncated;
}

/** Deletes these objects, at most 1,000. A missing object is not an error. */
export async function deleteKeys(ctx: Ctx, keys: string[]): Promise<boolean> {
  await ctx.env.CONTENT.delete(keys.slice(0, OBJECTS_PER_CALL));
  return true;
}
