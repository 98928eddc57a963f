import type { CallerCtx } from "../../access/caller.ts";
import { concat, utf8 } from "../../lib/bytes.ts";
import { conflict, invalidField } from "../../lib/errors.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import { mac } from "../../lib/mac.ts";
import { folderBudgets } from "../../platform/budgets/objects.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { endingOf } from "./rules.ts";
import { type PictureOut, toPicture } from "./schema.ts";

/**
 * Stores a picture. The same file of a workspace has the same id, so that repeating the call changes nothing; a key makes the id
 * impossible to guess for others who have the file. Throws 422 for another type of file, 409 beyond the limit of pictures.
 */
export async function uploadPicture(ctx: CallerCtx, bytes: Uint8Array<ArrayBuffer>): Promise<PictureOut> {
  const { env, settings, workspace } = ctx;
  const ending = endingOf(bytes);
  if (ending === null) throw invalidField("file", "The file must be a PNG, JPEG, GIF or WebP picture");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const id = await uuidFromHash(
    concat([await mac(settings.masterKeys, "picture", concat([utf8(workspace.id), hash]))]),
  );
  const key = r2Keys.picture(workspace.id, `${id}.${ending}`);
  await env.CONTENT.put(key, bytes);
  // After the write, so that uploads at the same time cannot exceed the limit together.
  const { objects, truncated } = await env.CONTENT.list({
    prefix: r2Keys.picture(workspace.id),
    limit: folderBudgets.pictures.rows,
  });
  const object = objects.find((one) => one.key === key);
  if (object && !truncated) return toPicture(ctx, workspace.id, object);
  await env.CONTENT.delete(key);
  throw conflict(`The workspace has ${folderBudgets.pictures.rows.toLocaleString("en")} pictures, which is the limit`);
}
