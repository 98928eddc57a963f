import { effectiveScopes, type Scope, STANDING_SQL, type Standing } from "../../access/accounts/scopes.ts";
import { issueAccessToken } from "../../access/tokens/issue-access-token.ts";
import { issueRefreshToken } from "../../access/tokens/issue-refresh-token.ts";
import { isOwnResource } from "../../access/tokens/rules.ts";
import { toBase64Url, utf8 } from "../../lib/bytes.ts";
import { onError } from "../../lib/errors.ts";
import { keyedHashes } from "../../lib/secret-box.ts";
import type { Ctx } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import type { oauthCodes, oauthGrants } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns, StoredRow } from "../../platform/db/stored-row.ts";
import { CODE_PURPOSE } from "./approve.ts";
import { endGrant } from "./grants.ts";
import { isCodeVerifier, OAuthError } from "./rules.ts";

/** The parameters of an authorization code grant (RFC 6749 4.1.3, RFC 7636 4.5). */
export interface CodeRedemption {
  clientId: string;
  code: string;
  codeVerifier: string;
  redirectUri: string | undefined;
  resources: readonly string[];
}

/** The tokens that a client gets (RFC 6749 5.1). */
export interface TokenPair {
  access: Awaited<ReturnType<typeof issueAccessToken>>;
  refreshToken: string;
  scopes: readonly Scope[];
}

type CodeRow = Omit<StoredRow<typeof oauthCodes>, "hash"> &
  StoredColumns<typeof oauthGrants, "client_id" | "scopes" | "resource"> & {
    [Key in keyof Standing]: Standing[Key] | null;
  };

const FIND_CODE = `
  SELECT c.grant_id, c.redirect_uri, c.code_challenge, c.expires_at, c.used_at, g.client_id, g.scopes, g.resource, ${STANDING_SQL}
    FROM oauth_codes c
    JOIN oauth_grants g ON g.id = c.grant_id
    LEFT JOIN memberships m ON m.workspace = g.workspace AND m.user_id = g.user_id
   WHERE c.hash IN (SELECT value FROM json_each(?1))`;

const USE_CODE = `
  UPDATE oauth_codes SET used_at = ?2 WHERE hash IN (SELECT value FROM json_each(?1)) AND used_at IS NULL AND expires_at > ?2`;

const EXTEND_GRANT = "UPDATE oauth_grants SET refreshed_at = ?2, expires_at = ?3 WHERE id = ?1";

/**
 * Redeems an authorization code once and returns the first tokens of its grant. A second use revokes the grant, since one
 * of the two was not the client (RFC 6749 4.1.2). Throws invalid_grant with the same text for a code that is unknown,
 * expired, used or of another client, redirect URI or verifier; invalid_target for another resource.
 */
export async function redeemCode(ctx: Ctx, redemption: CodeRedemption): Promise<TokenPair> {
  const hashes = JSON.stringify(await keyedHashes(ctx.settings.masterKeys, CODE_PURPOSE, redemption.code));
  const row = await ctx.db.findRow<CodeRow>(FIND_CODE, hashes);
  if (!row) throw invalidCode();
  if (row.used_at !== null) return refuseReuse(ctx, row);
  if (row.expires_at <= ctx.now() || row.role === null || !(await isRedeemer(row, redemption))) throw invalidCode();
  requireResource(ctx, row.resource, redemption.resources);
  const scopes = permitted(row.scopes, { role: row.role, mailboxes_only: row.mailboxes_only ?? 1 });
  const access = await issueAccessToken(ctx, row.grant_id, scopes);
  const refresh = await issueRefreshToken(ctx, "oauth", row.grant_id);
  const now = ctx.now();
  await guardedBatch(ctx.db, [
    ctx.db.prepare(USE_CODE).bind(hashes, now),
    expectChanges(ctx.db, 1),
    ...access.statements,
    refresh.statement,
    ctx.db.prepare(EXTEND_GRANT).bind(row.grant_id, now, refresh.expiresAt),
  ]).catch(onError(ConcurrencyError, () => refuseReuse(ctx, row)));
  return { access, refreshToken: refresh.token, scopes };
}

async function refuseReuse(ctx: Ctx, row: CodeRow): Promise<never> {
  ctx.log("oauth.code.reused", { grant: row.grant_id });
  await endGrant(ctx, row.grant_id);
  throw invalidCode();
}

/** Returns whether the code was issued to this client, for this redirect URI and this verifier (RFC 7636 4.6). */
async function isRedeemer(row: CodeRow, { clientId, codeVerifier, redirectUri }: CodeRedemption): Promise<boolean> {
  if (row.client_id !== clientId || (redirectUri !== undefined && row.redirect_uri !== redirectUri)) return false;
  if (!isCodeVerifier(codeVerifier)) return false;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(codeVerifier)));
  return toBase64Url(digest) === row.code_challenge;
}

/** Throws invalid_target when a token request names another resource than its grant (RFC 8707 2.2). */
export function requireResource({ settings }: Ctx, granted: string, requested: readonly string[]): void {
  if (requested.every((resource) => resource === granted || isOwnResource(settings.publicUrl, resource))) return;
  throw new OAuthError("invalid_target", `resource must be ${granted}, as in the authorization request`);
}

/** Returns the granted scopes that the current standing of the user allows. */
export function permitted(grantedJson: string, standing: Standing): Scope[] {
  return [...effectiveScopes(JSON.parse(grantedJson) as string[], standing)];
}

const invalidCode = () =>
  new OAuthError(
    "invalid_grant",
    "The code is unknown, expired, used, or not of this client, redirect_uri or verifier",
  );
