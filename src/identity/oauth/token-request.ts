import { STANDING_SQL, type Standing } from "../../access/accounts/scopes.ts";
import { issueAccessToken } from "../../access/tokens/issue-access-token.ts";
import { findFamily } from "../../access/tokens/issue-refresh-token.ts";
import { rotateRefreshToken } from "../../access/tokens/rotate-refresh-token.ts";
import type { Ctx } from "../../platform/context.ts";
import { guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { deleteGrantStatement } from "./grants.ts";
import { permitted, redeemCode, requireResource, type TokenPair } from "./redeem-code.ts";
import { OAuthError, splitWords } from "./rules.ts";

/** Returns the response to a request to the token endpoint (RFC 6749 3.2, 5.1). Throws OAuthError. */
export async function handleTokenRequest(ctx: Ctx, form: URLSearchParams) {
  const grantType = requiredField(form, "grant_type");
  if (grantType !== "authorization_code" && grantType !== "refresh_token")
    throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
  const clientId = requiredField(form, "client_id").toLowerCase();
  const resources = form.getAll("resource");
  if (grantType === "refresh_token") {
    const refreshToken = requiredField(form, "refresh_token");
    return toResponse(await refreshGrant(ctx, { clientId, refreshToken, scope: field(form, "scope"), resources }));
  }
  const code = requiredField(form, "code");
  const codeVerifier = requiredField(form, "code_verifier");
  const redirectUri = field(form, "redirect_uri");
  return toResponse(await redeemCode(ctx, { clientId, code, codeVerifier, redirectUri, resources }));
}

/** Returns a field of a form, undefined when it is absent or empty. Throws invalid_request when it is repeated (RFC 6749 3.2). */
function field(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name);
  if (values.length > 1) throw new OAuthError("invalid_request", `${name} is given more than once`);
  return values[0] === "" ? undefined : values[0];
}

/** Returns a field of a form. Throws invalid_request when it is absent, empty or repeated. */
export function requiredField(form: URLSearchParams, name: string): string {
  const value = field(form, name);
  if (value === undefined) throw new OAuthError("invalid_request", `${name} is missing`);
  return value;
}

const toResponse = ({ access, refreshToken, scopes }: TokenPair) => ({
  access_token: access.token,
  token_type: "Bearer",
  expires_in: access.expiresInSeconds,
  refresh_token: refreshToken,
  scope: scopes.join(" "),
});

const FIND_GRANT = `
  SELECT g.scopes, g.resource, ${STANDING_SQL}
    FROM oauth_grants g
    JOIN memberships m ON m.workspace = g.workspace AND m.user_id = g.user_id
    JOIN workspaces w ON w.number = g.workspace AND w.deleted_at IS NULL
   WHERE g.id = ?1 AND g.client_id = ?2 AND g.expires_at > ?3`;

const EXTEND_GRANT = "UPDATE oauth_grants SET refreshed_at = ?2, expires_at = max(expires_at, ?3) WHERE id = ?1";

/**
 * Uses the refresh token of a grant (RFC 6749 6) and returns an access token with the next refresh token. A further use within 30 s gets the
 * same refresh token; a later one ends the grant (docs/contract/sign-in.md#refresh-tokens). Throws invalid_grant for a token
 * that is unknown, expired, reused or of another client, invalid_scope for a scope that was not granted, invalid_target.
 */
async function refreshGrant(
  ctx: Ctx,
  refresh: { clientId: string; refreshToken: string; scope: string | undefined; resources: readonly string[] },
): Promise<TokenPair> {
  const grantId = await findFamily(ctx, "oauth", refresh.refreshToken);
  if (grantId === null) throw invalidRefreshToken();
  // Before the rotation: a token in the hands of another client, or an invalid request, must not use it up.
  const values = [grantId, refresh.clientId, ctx.now()];
  const grant = await ctx.db.findRow<{ scopes: string; resource: string } & Standing>(FIND_GRANT, ...values);
  if (!grant) throw invalidRefreshToken();
  requireResource(ctx, grant.resource, refresh.resources);
  const allowed = permitted(grant.scopes, grant);
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
