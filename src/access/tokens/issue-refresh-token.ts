import { keyedHashes, randomToken } from "../../lib/secret-box.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { REFRESH_TOKEN_TTL_MS } from "./rules.ts";

/** The kind of session or grant that a token refreshes. A token of one kind is unknown to the others. */
export type RefreshTokenKind = "session" | "mailbox" | "oauth";

/** Purpose under which refresh tokens are hashed (lib/secret-box). */
export const REFRESH_TOKEN_PURPOSE = "refresh-token";

const INSERT_TOKEN =
  "INSERT INTO refresh_tokens (hash, kind, family, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)";

/** Returns the first token of a family, which has the id of a session or grant, and the statement for the batch that creates this. */
export async function issueRefreshToken(
  ctx: Ctx,
  kind: RefreshTokenKind,
  family: string,
): Promise<{ token: string; expiresAt: number; statement: MainStatement }> {
  const token = randomToken();
  const [hash] = await keyedHashes(ctx.settings.masterKeys, REFRESH_TOKEN_PURPOSE, token);
  const now = ctx.now();
  const expiresAt = now + REFRESH_TOKEN_TTL_MS;
  return { token, expiresAt, statement: ctx.db.prepare(INSERT_TOKEN).bind(hash, kind, family, now, expiresAt) };
}

/** Returns the statement that deletes all refresh tokens of the families. */
export function deleteFamiliesStatement(ctx: Pick<Ctx, "db">, families: readonly string[]): MainStatement {
  return ctx.db
    .prepare("DELETE FROM refresh_tokens WHERE family IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(families));
}

/** Returns the family of a refresh token, used or not; null for an unknown one. */
export async function findFamily(ctx: Ctx, kind: RefreshTokenKind, token: string): Promise<string | null> {
  const hashes = await keyedHashes(ctx.settings.masterKeys, REFRESH_TOKEN_PURPOSE, token);
  const sql = "SELECT family FROM refresh_tokens WHERE hash IN (SELECT value FROM json_each(?1)) AND kind = ?2";
  return ctx.db.findValue<string>(sql, JSON.stringify(hashes), kind);
}
