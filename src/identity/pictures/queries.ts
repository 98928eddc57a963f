import type { CallerCtx } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { folderBudgets } from "../../platform/budgets/objects.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { readAddress } from "./rules.ts";
import { type PictureOut, toPicture } from "./schema.ts";

/** Returns the pictures of the workspace, newest first: all of them, since R2 lists as many in one call. */
export async function listPictures(ctx: CallerCtx): Promise<PictureOut[]> {
  const { id } = ctx.workspace;
  const { objects } = await ctx.env.CONTENT.list({ prefix: r2Keys.picture(id), limit: folderBudgets.pictures.rows });
  return objects
    .toSorted((a, b) => b.uploaded.getTime() - a.uploaded.getTime())
    .map((object) => toPicture(ctx, id, object));
}

/** Returns the picture of a public address with its media type. Throws 404. */
export async function findPicture({ env }: Ctx, address: string) {
  const { workspaceId, file, mediaType } = requireFound(readAddress(address), "Picture");
  const object = await env.CONTENT.get(r2Keys.picture(workspaceId, file));
  return { mediaType, object: requireFound(object, "Picture") };
}

/** Returns a picture of the workspace. Throws 404. */
export async function getPicture({ workspace, env }: CallerCtx, id: string): Promise<R2Object> {
  const prefix = r2Keys.picture(workspace.id, `${parseUuid(id) ?? "unknown"}.`);
  return requireFound((await env.CONTENT.list({ prefix, limit: 1 })).objects[0], "Picture");
}
