import type { CallerCtx } from "../context.ts";
import { notFound } from "../errors.ts";
import { isUuid } from "../lib/ids.ts";

// Revoking again keeps the first revoked_at.
const REVOKE = `
  UPDATE api_keys SET revoked_at = ifnull(revoked_at, ?3) WHERE id = ?1 AND workspace = ?2 RETURNING id`;

/** Revokes an API key of the caller's workspace, of any user, from the next request on. Throws 404. */
export async function revokeApiKey(ctx: CallerCtx, id: string): Promise<void> {
  if (!isUuid(id)) throw notFound("API key");
  const revoked = await ctx.db.prepare(REVOKE).bind(id, ctx.workspace.number, ctx.now()).first();
  if (!revoked) throw notFound("API key");
}
