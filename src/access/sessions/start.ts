import { auditSessionStatement } from "../../platform/audit/record-session.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { SignInMethod } from "../../platform/db/schema/main/index.ts";
import { issueRefreshToken } from "../tokens/issue-refresh-token.ts";
import { type AccessClaims, signAccessToken } from "./access-token.ts";
import { MAX_USER_AGENT } from "./rules.ts";

/** The tokens of a session, for its cookies. Times in ms since 1970. */
export type SessionTokens = Awaited<ReturnType<typeof toTokens>>;

/** Where a sign-in comes from, as shown in the list of sessions. */
export interface Client {
  ip: string | null;
  userAgent: string | null;
}

interface NewSession {
  userId: string;
  /** Id of the workspace that becomes the active one. It may be created in the same batch. */
  workspaceId: string;
  method: SignInMethod;
  client: Client;
}

const INSERT_SESSION = `
  INSERT INTO sessions (id, user_id, workspace, method, ip, user_agent, created_at, refreshed_at, reauthenticated_at, expires_at)
  SELECT ?1, ?2, number, ?4, ?5, ?6, ?7, ?7, ?7, ?8 FROM workspaces WHERE id = ?3`;

/** Returns the tokens of a new session and the statements that create it, for the batch that redeems what proved who the user is. */
export async function newSession(
  ctx: Ctx,
  { userId, workspaceId, method, client }: NewSession,
): Promise<{ sessionId: string; tokens: SessionTokens; statements: MainStatement[] }> {
  const sessionId = ctx.newId();
  const refresh = await issueRefreshToken(ctx, "session", sessionId);
  const userAgent = client.userAgent?.slice(0, MAX_USER_AGENT) ?? null;
  const values = [sessionId, userId, workspaceId, method, client.ip, userAgent, ctx.now(), refresh.expiresAt];
  const tokens = await toTokens(ctx, { sub: userId, sid: sessionId, wid: workspaceId }, refresh);
  return {
    sessionId,
    tokens,
    statements: [
      ctx.db.prepare(INSERT_SESSION).bind(...values),
      refresh.statement,
      auditSessionStatement(ctx, "session.started", sessionId),
    ],
  };
}

/** Signs an access token and returns it with the refresh token. */
export async function toTokens(ctx: Ctx, claims: AccessClaims, refresh: { token: string; expiresAt: number }) {
  const access = await signAccessToken(ctx, "session", claims);
  return {
    accessToken: access.token,
    accessExpiresAt: access.expiresAt,
    refreshToken: refresh.token,
    refreshExpiresAt: refresh.expiresAt,
  };
}
