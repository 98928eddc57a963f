import type { CallerCtx } from "../context.ts";
import { notFound } from "../errors.ts";
import { isUuid } from "../lib/ids.ts";

// The first moment counts: revoking again changes nothing.
const REVOKE = `
  UPDATE api_keys SET revoked_at = ifnull(revoked_at, ?3) WHERE id = ?1 AND workspace = ?2 RETURNING id`;

/** Ends an API key of the caller's workspace, whoever made it; no request after this one gets in with it. Throws 404. */
export async function revokeApiKey(ctx: CallerCtx, id: string): Promise<void> {
  if (!isUuid(id)) throw notFound("API key");
  const revoked = await ctx.db.prepare(REVOKE).bind(id, ctx.workspace.number, ctx.now()).first();
  if (!revoked) throw notFound("API key");
}
