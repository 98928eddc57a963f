import type { CallerCtx } from "../../access/caller.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { limits } from "./rules.ts";
import { type PictureOut, toPicture } from "./schema.ts";

/** Returns the pictures of the workspace, newest first: all of them, since R2 lists as many in one call. */
export async function listPictures(ctx: CallerCtx): Promise<PictureOut[]> {
  const { id } = ctx.workspace;
  const { objects } = await ctx.env.CONTENT.list({ prefix: r2Keys.picture(id), limit: limits.pictures });
  return objects
    .toSorted((a, b) => b.uploaded.getTime() - a.uploaded.getTime())
    .map((object) => toPicture(ctx, id, object));
}
