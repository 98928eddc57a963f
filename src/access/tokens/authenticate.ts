import { invalidToken } from "../../lib/errors.ts";
import { keyedHashes } from "../../lib/secret-box.ts";
import type { Ctx } from "../../platform/context.ts";
import {
  type Caller,
  type MemberColumns,
  toCallerWorkspace,
  toMember,
  WORKSPACE_COLUMNS_SQL,
  type WorkspaceColumns,
} from "../accounts/authenticate.ts";
import { effectiveScopes, STANDING_SQL } from "../accounts/scopes.ts";
import type { OAuthActor } from "../caller.ts";
import { ACCESS_TOKEN_PURPOSE, isOwnResource } from "./rules.ts";

interface TokenRow extends WorkspaceColumns, MemberColumns {
  grant_id: string;
  scopes: string;
  resource: string;
  expires_at: number;
  client_id: string;
  client_name: string | null;
}

// The joins end a token with its grant, with the membership of its user, and with the workspace.
const FIND_TOKEN = `
  SELECT t.grant_id, t.scopes, t.expires_at, g.resource, c.id AS client_id, c.name AS client_name,
         u.id AS user_id, u.email, u.name AS user_name, u.restricted_at, ${STANDING_SQL},
         ${WORKSPACE_COLUMNS_SQL}
    FROM oauth_access_tokens t
    JOIN oauth_grants g ON g.id = t.grant_id AND g.expires_at > ?2
    JOIN oauth_clients c ON c.id = g.client_id
    JOIN memberships m ON m.workspace = g.workspace AND m.user_id = g.user_id
    JOIN users u ON u.id = g.user_id
    JOIN workspaces w ON w.number = g.workspace AND w.deleted_at IS NULL
   WHERE t.hash IN (SELECT value FROM json_each(?1)) AND t.expires_at > ?2`;

/**
 * Returns the user, workspace and rights of an access token of an OAuth grant, in one D1 query. The scopes are those of
 * the token that the current role of the user allows. Throws 401 with the same text for a token that is unknown,
 * expired, revoked or for another resource, and for one whose grant, membership or workspace has ended.
 */
export async function authenticateAccessToken(ctx: Ctx, token: string): Promise<Caller & { actor: OAuthActor }> {
  const hashes = await keyedHashes(ctx.settings.masterKeys, ACCESS_TOKEN_PURPOSE, token);
  const row = await ctx.db.findRow<TokenRow>(FIND_TOKEN, JSON.stringify(hashes), ctx.now());
  if (!row || !isOwnResource(ctx.settings.publicUrl, row.resource))
    throw invalidToken("Invalid or expired access token");
  const actor: OAuthActor = {
    kind: "oauth",
    credentialId: row.grant_id,
    clientId: row.client_id,
    clientName: row.client_name,
    ...toMember(row),
    scopes: effectiveScopes(JSON.parse(row.scopes) as string[], row),
    grantsAll: false,
    domainIds: null,
    expiresAt: row.expires_at,
  };
  return { actor, workspace: toCallerWorkspace(row), touch: null };
}
