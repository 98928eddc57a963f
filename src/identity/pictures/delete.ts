import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { addressOf } from "./rules.ts";

const REMOVE_LOGO = `
  UPDATE workspaces SET settings = json_remove(settings, '$.brand.logo') WHERE number = ?1 AND settings->>'$.brand.logo' = ?2`;

/** Deletes a picture, also as the logo of the workspace. Throws 404. */
export async function deletePicture(ctx: CallerCtx, id: string): Promise<void> {
  const { workspace, env } = ctx;
  const prefix = r2Keys.picture(workspace.id, `${parseUuid(id) ?? "unknown"}.`);
  const [object] = (await env.CONTENT.list({ prefix, limit: 1 })).objects;
  if (!object) throw notFound("Picture");
  const address = addressOf(workspace.id, object.key.slice(object.key.lastIndexOf("/") + 1));
  await ctx.db.prepare(REMOVE_LOGO).bind(workspace.number, address).run();
  await env.CONTENT.delete(object.key);
}
