import { keyedHashes, randomToken } from "../../lib/secret-box.ts";
import type { Ctx } from "../../platform/context.ts";
import { expectChanges } from "../../platform/db/batch.ts";
import type { Scope } from "../accounts/scopes.ts";
import { ACCESS_TOKEN_PREFIX, ACCESS_TOKEN_PURPOSE, ACCESS_TOKEN_TTL_MS } from "./rules.ts";

// Inserts nothing when the grant has ended meanwhile.
const INSERT_TOKEN = `
  INSERT INTO oauth_access_tokens (hash, grant_id, scopes, expires_at) SELECT ?1, id, ?3, ?4 FROM oauth_grants WHERE id = ?2`;

/** Returns a new access token of a grant. Its statements store the hash, and throw ConcurrencyError when the grant has ended. */
export async function issueAccessToken(ctx: Ctx, grantId: string, scopes: readonly Scope[]) {
  const token = `${ACCESS_TOKEN_PREFIX}${randomToken()}`;
  const [hash] = await keyedHashes(ctx.settings.masterKeys, ACCESS_TOKEN_PURPOSE, token);
  const values = [hash, grantId, JSON.stringify(scopes), ctx.now() + ACCESS_TOKEN_TTL_MS];
  const statements = [ctx.db.prepare(INSERT_TOKEN).bind(...values), expectChanges(ctx.db, 1)];
  return { token, expiresInSeconds: ACCESS_TOKEN_TTL_MS / 1000, statements };
}
