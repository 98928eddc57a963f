import type { Role } from "../../access/caller.ts";
import { issueAccessToken } from "../../access/tokens/issue-access-token.ts";
import { findFamily } from "../../access/tokens/issue-refresh-token.ts";
import { rotateRefreshToken } from "../../access/tokens/rotate-refresh-token.ts";
import type { Ctx } from "../../platform/context.ts";
import { guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { OAuthError } from "./errors.ts";
import { deleteGrantStatement } from "./grants.ts";
import { permitted, requireResource, type TokenPair } from "./redeem-code.ts";
import { splitWords } from "./rules.ts";

/** The parameters of a refresh (RFC 6749 6). */
export interface GrantRefresh {
  clientId: string;
  refreshToken: string;
  scope: string | undefined;
  resources: readonly string[];
}

const FIND_GRANT = `
  SELECT g.scopes, g.resource, m.role
    FROM oauth_grants g
    JOIN memberships m ON m.workspace = g.workspace AND m.user_id = g.user_id
    JOIN workspaces w ON w.number = g.workspace AND w.deleted_at IS NULL
   WHERE g.id = ?1 AND g.client_id = ?2 AND g.expires_at > ?3`;

const EXTEND_GRANT = "UPDATE oauth_grants SET refreshed_at = ?2, expires_at = max(expires_at, ?3) WHERE id = ?1";

/**
 * Uses the refresh token of a grant and returns an access token with the next refresh token. A further use within 30 s gets the
 * same refresh token; a later one ends the grant (docs/contract/sign-in.md#refresh-tokens). Throws invalid_grant for a token
 * that is unknown, expired, reused or of another client, invalid_scope for a scope that was not granted, invalid_target.
 */
export async function refreshGrant(ctx: Ctx, refresh: GrantRefresh): Promise<TokenPair> {
  const grantId = await findFamily(ctx, "oauth", refresh.refreshToken);
  if (grantId === null) throw invalidRefreshToken();
  // Before the rotation: a token in the hands of another client, or an invalid request, must not use it up.
  const grant = await ctx.db
    .prepare(FIND_GRANT)
    .bind(grantId, refresh.clientId, ctx.now())
    .first<{ scopes: string; resource: string; role: Role }>();
  if (!grant) throw invalidRefreshToken();
  requireResource(ctx, grant.resource, refresh.resources);
  const allowed = permitted(grant.scopes, grant.role);
  const asked = splitWords(refresh.scope ?? "");
  const scopes = asked.length === 0 ? allowed : allowed.filter((scope) => asked.includes(scope));
  if (scopes.length < asked.length)
    throw new OAuthError("invalid_scope", "A scope was not granted, or the role lacks it");
  const rotation = await rotateRefreshToken(ctx, "oauth", refresh.refreshToken, (id) => [
    deleteGrantStatement(ctx, id),
  ]);
  if (!rotation) throw invalidRefreshToken();
  const access = await issueAccessToken(ctx, grantId, scopes);
  const extend = ctx.db.prepare(EXTEND_GRANT).bind(grantId, ctx.now(), rotation.expiresAt);
  await guardedBatch(ctx.db, [...access.statements, extend]).catch(onConcurrency(() => invalidRefreshToken()));
  return { access, refreshToken: rotation.token, scopes };
}

const invalidRefreshToken = () =>
  new OAuthError("invalid_grant", "The refresh token is unknown, expired, used, revoked, or not of this client");
