import { findFamily } from "../../access/tokens/issue-refresh-token.ts";
import { ACCESS_TOKEN_PURPOSE, isAccessToken } from "../../access/tokens/rules.ts";
import { keyedHashes } from "../../lib/secret-box.ts";
import type { Ctx } from "../../platform/context.ts";
import { endGrant } from "./grants.ts";
import { OAuthError } from "./rules.ts";

const FIND_ACCESS_TOKEN = "SELECT grant_id FROM oauth_access_tokens WHERE hash IN (SELECT value FROM json_each(?1))";

/** Revokes the grant of a refresh token, or an access token alone, if known (RFC 7009 2.1). Throws invalid_grant for another client's. */
export async function revokeToken(ctx: Ctx, clientId: string, token: string): Promise<void> {
  const isAccess = isAccessToken(token);
  const hashes = JSON.stringify(await keyedHashes(ctx.settings.masterKeys, ACCESS_TOKEN_PURPOSE, token));
  const grantId = isAccess
    ? await ctx.db.findValue<string>(FIND_ACCESS_TOKEN, hashes)
    : await findFamily(ctx, "oauth", token);
  if (grantId === null) return;
  const owner = await ctx.db.findValue("SELECT client_id FROM oauth_grants WHERE id = ?1", grantId);
  if (owner !== null && owner !== clientId) throw new OAuthError("invalid_grant", "The token is of another client");
  if (!isAccess) return endGrant(ctx, grantId);
  await ctx.db.execute("DELETE FROM oauth_access_tokens WHERE hash IN (SELECT value FROM json_each(?1))", hashes);
}
