import type { Ctx } from "../context.ts";

/** Objects that one list names and one delete takes (R2 limits). */
const OBJECTS = 1_000;

/** Deletes some of the objects whose keys begin with `prefix`. True: none is left. */
export async function purgeObjects(ctx: Ctx, prefix: string): Promise<boolean> {
  const { objects, truncated } = await ctx.env.CONTENT.list({ prefix, limit: OBJECTS });
  if (objects.length > 0) await ctx.env.CONTENT.delete(objects.map(({ key }) => key));
  return !truncated;
}

/** Deletes these objects. One that is not there is no fault. */
export async function purgeKeys(ctx: Ctx, keys: string[]): Promise<boolean> {
  await ctx.env.CONTENT.delete(keys.slice(0, OBJECTS));
  return true;
}
