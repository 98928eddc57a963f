import type { Ctx } from "../../platform/context.ts";
import { rotateRefreshToken } from "../tokens/rotate-refresh-token.ts";
import { signAccessToken } from "./access-token.ts";
import { deleteSessionStatement } from "./revoke.ts";
import { type SessionTokens, toTokens } from "./start.ts";

// The active workspace, or the user's oldest one when the user left the active one.
const FIND_WORKSPACE = `
  SELECT s.user_id AS userId, w.id AS workspaceId, w.number
    FROM sessions s
    JOIN memberships m ON m.user_id = s.user_id
    JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
   WHERE s.id = ?1
   ORDER BY m.workspace = s.workspace DESC, m.created_at, m.workspace LIMIT 1`;

const EXTEND = "UPDATE sessions SET refreshed_at = ?2, expires_at = max(expires_at, ?3) WHERE id = ?1";

/**
 * Uses a session's refresh token and returns new tokens (docs/contract/sign-in.md#refresh-tokens). Returns null when the token
 * is unknown, expired or reused (which ends the session), and when the user has no workspace any more.
 */
export async function refreshSession(ctx: Ctx, refreshToken: string): Promise<SessionTokens | null> {
  const rotation = await rotateRefreshToken(ctx, "session", refreshToken, (sessionId) => [
    deleteSessionStatement(ctx, sessionId),
  ]);
  if (!rotation) return null;
  const sessionId = rotation.family;
  const [found] = await ctx.db.batch<{ userId: string; workspaceId: string; number: number }>([
    ctx.db.prepare(FIND_WORKSPACE).bind(sessionId),
    ctx.db.prepare(EXTEND).bind(sessionId, ctx.now(), rotation.expiresAt),
  ]);
  const home = found?.results[0];
  if (!home) return null;
  const claims = { sub: home.userId, sid: sessionId, wid: home.workspaceId };
  return toTokens(await signAccessToken(ctx, "session", claims), rotation);
}
