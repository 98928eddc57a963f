import type { CallerCtx } from "../../access/caller.ts";
import { getPicture } from "./queries.ts";
import { addressOf } from "./rules.ts";

const REMOVE_LOGO = `
  UPDATE workspaces SET settings = json_remove(settings, '$.brand.logo') WHERE number = ?1 AND settings->>'$.brand.logo' = ?2`;

/** Deletes a picture, also as the logo of the workspace. Throws 404. */
export async function deletePicture(ctx: CallerCtx, id: string): Promise<void> {
  const { key } = await getPicture(ctx, id);
  const address = addressOf(ctx.workspace.id, key.slice(key.lastIndexOf("/") + 1));
  await ctx.db.prepare(REMOVE_LOGO).bind(ctx.workspace.number, address).run();
  await ctx.env.CONTENT.delete(key);
}
