import { toBase64Url, utf8 } from "../../lib/bytes.ts";
import { mac } from "../../lib/mac.ts";
import { keyedHashes } from "../../lib/secret-box.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { deleteFamiliesStatement, REFRESH_TOKEN_PURPOSE, type RefreshTokenKind } from "./issue-refresh-token.ts";
import { classifyUse, REFRESH_TOKEN_TTL_MS } from "./rules.ts";

const MARK_USED = `
  UPDATE refresh_tokens SET used_at = ?2, successor_hash = ?3
   WHERE hash IN (SELECT value FROM json_each(?1)) AND kind = ?4 AND used_at IS NULL AND expires_at > ?2`;

// Runs right after MARK_USED. Its change is counted by the SELECT: only the first use inserts a row.
const INSERT_SUCCESSOR = `
  INSERT INTO refresh_tokens (hash, kind, family, created_at, expires_at)
  SELECT ?3, kind, family, ?2, ?5 FROM refresh_tokens
   WHERE changes() = 1 AND hash IN (SELECT value FROM json_each(?1))`;

const FIND = `
  SELECT changes() AS inserted, family, used_at AS usedAt, expires_at AS expiresAt, successor_hash AS successorHash
    FROM refresh_tokens WHERE hash IN (SELECT value FROM json_each(?1)) AND kind = ?2`;

interface Found {
  inserted: number;
  family: string;
  usedAt: number | null;
  expiresAt: number;
  successorHash: string | null;
}

/** The successor of a used refresh token. */
export interface Rotation {
  family: string;
  token: string;
  /** When the successor expires, in ms since 1970. */
  expiresAt: number;
}

/**
 * Uses a refresh token once and returns its successor, in one D1 call. A further use within 30 s gets the same successor
 * (docs/contract/sign-in.md#refresh-tokens). A later one is theft: it deletes the family with `revoke`, the statements that end
 * the session or grant. Returns null for a token that is unknown, expired or reused.
 */
export async function rotateRefreshToken(
  ctx: Ctx,
  kind: RefreshTokenKind,
  token: string,
  revoke: (family: string) => MainStatement[],
): Promise<Rotation | null> {
  const { masterKeys } = ctx.settings;
  const hashes = JSON.stringify(await keyedHashes(masterKeys, REFRESH_TOKEN_PURPOSE, token));
  const successor = await deriveSuccessor(masterKeys, token);
  const [successorHash = ""] = await keyedHashes(masterKeys, REFRESH_TOKEN_PURPOSE, successor);
  const now = ctx.now();
  const expiresAt = now + REFRESH_TOKEN_TTL_MS;
  const [, , result] = await ctx.db.batch<Found>([
    ctx.db.prepare(MARK_USED).bind(hashes, now, successorHash, kind),
    ctx.db.prepare(INSERT_SUCCESSOR).bind(hashes, now, successorHash, kind, expiresAt),
    ctx.db.prepare(FIND).bind(hashes, kind),
  ]);
  const found = result?.results[0];
  if (!found) return null;
  const use = classifyUse(found, found.inserted === 1, now);
  if (use === "first") return { family: found.family, token: successor, expiresAt };
  if (use === "repeated") return repeat(ctx, found, token);
  if (use === "reused") {
    ctx.log("refresh-token.reused", { kind, family: found.family });
    await ctx.db.batch([deleteFamiliesStatement(ctx, [found.family]), ...revoke(found.family)]);
  }
  return null;
}

/** Returns the successor that the first use made, under the master key of that time. */
async function repeat(ctx: Ctx, found: Found, token: string): Promise<Rotation | null> {
  const version = Number(found.successorHash?.split(".")[0]);
  const root = ctx.settings.masterKeys.find((candidate) => candidate.version === version);
  if (!root || found.usedAt === null) return null;
  return {
    family: found.family,
    token: await deriveSuccessor([root], token),
    expiresAt: found.usedAt + REFRESH_TOKEN_TTL_MS,
  };
}

/** Derives the successor from the token, so that parallel uses return the same one although no token is stored. */
const deriveSuccessor = async (masterKeys: Ctx["settings"]["masterKeys"], token: string): Promise<string> =>
  toBase64Url(await mac(masterKeys, "refresh-token-successor", utf8(token)));
