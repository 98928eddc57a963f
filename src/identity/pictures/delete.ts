import type { CallerCtx } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { addressOf } from "./rules.ts";

const REMOVE_LOGO = `
  UPDATE workspaces SET settings = json_remove(settings, '$.brand.logo') WHERE number = ?1 AND settings->>'$.brand.logo' = ?2`;

/** Returns a picture of the workspace. Throws 404. */
export async function getPicture({ workspace, env }: CallerCtx, id: string): Promise<R2Object> {
  const prefix = r2Keys.picture(workspace.id, `${parseUuid(id) ?? "unknown"}.`);
  return requireFound((await env.CONTENT.list({ prefix, limit: 1 })).objects[0], "Picture");
}

/** Deletes a picture, also as the logo of the workspace. Throws 404. */
export async function deletePicture(ctx: CallerCtx, id: string): Promise<void> {
  const { key } = await getPicture(ctx, id);
  const address = addressOf(ctx.workspace.id, key.slice(key.lastIndexOf("/") + 1));
  await ctx.db.prepare(REMOVE_LOGO).bind(ctx.workspace.number, address).run();
  await ctx.env.CONTENT.delete(key);
}
