import { auditSessionStatement } from "../../platform/audit/record-session.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { SignInMethod } from "../../platform/db/schema/main/index.ts";
import { issueRefreshToken } from "../tokens/issue-refresh-token.ts";
import { signAccessToken } from "./access-token.ts";
import { MAX_USER_AGENT } from "./rules.ts";

/** The tokens of a session, for its cookies. Times in ms since 1970. */
export type SessionTokens = ReturnType<typeof toTokens>;

/** A token, and when it expires, in ms since 1970. */
export type IssuedToken = Awaited<ReturnType<typeof signAccessToken>>;

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
  const access = await signAccessToken(ctx, "session", { sub: userId, sid: sessionId, wid: workspaceId });
  return {
    sessionId,
    tokens: toTokens(access, refresh),
    statements: [
      ctx.db.prepare(INSERT_SESSION).bind(...values),
      refresh.statement,
      auditSessionStatement(ctx, "session.started", sessionId),
    ],
  };
}

/** Returns a signed access token together with the refresh token. */
export const toTokens = (
  { token: accessToken, expiresAt: accessExpiresAt }: IssuedToken,
  { token: refreshToken, expiresAt: refreshExpiresAt }: IssuedToken,
) => ({ accessToken, accessExpiresAt, refreshToken, refreshExpiresAt });
