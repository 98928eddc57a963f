import type { CallerCtx } from "../../access/caller.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { getVisibleApiKey } from "./queries.ts";

const REVOKE = "UPDATE api_keys SET revoked_at = ?3 WHERE id = ?1 AND workspace = ?2 AND revoked_at IS NULL";

/**
 * Revokes an API key of any user of the caller's workspace, from the next request on. Revoking again keeps the first
 * `revoked_at`. Throws 404 for an unknown id and, to a key that is restricted to domains, for a key with other domains.
 */
export async function revokeApiKey(ctx: CallerCtx, id: string): Promise<void> {
  const key = await getVisibleApiKey(ctx, id);
  await ctx.db.batch([
    ctx.db.prepare(REVOKE).bind(key.id, ctx.workspace.number, ctx.now()),
    auditIfChangedStatement(ctx, { action: "api_key.revoked", target: key.id, detail: { name: key.name } }),
  ]);
}
