import type { Ctx } from "../context.ts";

/** Objects of one R2 list or delete call (R2 limits). */
const OBJECTS_PER_CALL = 1_000;

/** Deletes up to 1,000 objects whose keys start with `prefix`. Returns true when none is left. */
export async function deleteObjects(ctx: Ctx, prefix: string): Promise<boolean> {
  const { objects, truncated } = await ctx.env.CONTENT.list({ prefix, limit: OBJECTS_PER_CALL });
  if (objects.length > 0) await ctx.env.CONTENT.delete(objects.map(({ key }) => key));
  return !truncated;
}

/** Deletes these objects, 1,000 a call. A missing object is not an error. Returns true. */
export async function deleteKeys(ctx: Ctx, keys: string[]): Promise<boolean> {
  for (let at = 0; at < keys.length; at += OBJECTS_PER_CALL) {
    await ctx.env.CONTENT.delete(keys.slice(at, at + OBJECTS_PER_CALL));
  }
  return true;
}
