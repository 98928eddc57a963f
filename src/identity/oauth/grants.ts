import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { deleteFamiliesStatement } from "../../access/tokens/issue-refresh-token.ts";
import { notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { oauthGrants } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";

export type GrantRow = StoredColumns<
  typeof oauthGrants,
  "id" | "client_id" | "scopes" | "created_at" | "refreshed_at" | "expires_at"
> & { client_name: string | null; client_uri: string | null; workspace_id: string; workspace_name: string };

const OWN_GRANTS = `
  SELECT g.id, g.client_id, c.name AS client_name, c.uri AS client_uri, w.id AS workspace_id, w.name AS workspace_name,
         g.scopes, g.created_at, g.refreshed_at, g.expires_at
    FROM oauth_grants g
    JOIN oauth_clients c ON c.id = g.client_id
    JOIN workspaces w ON w.number = g.workspace
   WHERE g.user_id = ?1 AND g.expires_at > ?2`;
const LIST_GRANTS = `${OWN_GRANTS} AND (?3 IS NULL OR g.id < ?3) ORDER BY g.id DESC LIMIT ?4`;

/** Returns the grants of the caller's user in all workspaces, newest first; `after` continues after this id. */
export const listGrants = (ctx: CallerCtx, { after, limit }: ListRange): Promise<GrantRow[]> =>
  ctx.db.listRows<GrantRow>(LIST_GRANTS, ctx.actor.userId, ctx.now(), after ?? null, limit);

/** Returns a grant of the caller's user. Throws 404 for an id that is malformed, unknown, ended or of another user. */
export async function getGrant(ctx: CallerCtx, id: string): Promise<GrantRow> {
  const values = [ctx.actor.userId, ctx.now(), parseUuid(id)];
  return requireFound(await ctx.db.findRow<GrantRow>(`${OWN_GRANTS} AND g.id = ?3`, ...values), "Grant");
}

/** Returns the statement that ends a grant. Its codes and access tokens are deleted with it. */
export const deleteGrantStatement = (ctx: Pick<Ctx, "db">, grantId: string): MainStatement =>
  ctx.db.prepare("DELETE FROM oauth_grants WHERE id = ?1").bind(grantId);

/** Ends a grant by its id. Its tokens are invalid from the next request on. Safe to run twice. */
export async function endGrant(ctx: Ctx, grantId: string): Promise<void> {
  await ctx.db.batch([deleteGrantStatement(ctx, grantId), deleteFamiliesStatement(ctx, [grantId])]);
}

/** Ends a grant of the caller's user. Throws 404 for an id that is malformed, unknown, ended or of another user. */
export async function deleteGrant(ctx: CallerCtx, id: string): Promise<void> {
  const uuid = requireFound(parseUuid(id), "Grant");
  const sql = "SELECT workspace AS number FROM oauth_grants WHERE id = ?1 AND user_id = ?2 AND expires_at > ?3";
  const grant = await ctx.db.findRow<{ number: number }>(sql, uuid, ctx.actor.userId, ctx.now());
  if (!grant) throw notFound("Grant");
  const [deleted] = await ctx.db.batch([
    deleteGrantStatement(ctx, uuid),
    auditIfChangedStatement({ ...ctx, workspace: grant }, { action: "grant.revoked", target: uuid }),
    deleteFamiliesStatement(ctx, [uuid]),
  ]);
  if (deleted?.meta.changes === 0) throw notFound("Grant");
}
