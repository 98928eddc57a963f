import { requireFound } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { readAddress } from "./rules.ts";

/** Returns the picture of a public address with its media type. Throws 404. */
export async function findPicture({ env }: Ctx, address: string) {
  const { workspaceId, file, mediaType } = requireFound(readAddress(address), "Picture");
  const object = await env.CONTENT.get(r2Keys.picture(workspaceId, file));
  return { mediaType, object: requireFound(object, "Picture") };
}
