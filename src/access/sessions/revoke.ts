import { notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { auditSessionStatement } from "../../platform/audit/record-session.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { CallerCtx } from "../caller.ts";
import { deleteFamiliesStatement, findFamily } from "../tokens/issue-refresh-token.ts";
import { verifyAccessToken } from "./access-token.ts";

/** Returns the statement that deletes a session, which ends it at the next request. */
export const deleteSessionStatement = (ctx: Pick<Ctx, "db">, sessionId: string): MainStatement =>
  ctx.db.prepare("DELETE FROM sessions WHERE id = ?1").bind(sessionId);

/** Ends a session of the caller's user. Throws 404 for an id that is malformed, unknown, ended or of another user. */
export async function revokeSession(ctx: CallerCtx, id: string): Promise<void> {
  const uuid = requireFound(parseUuid(id), "Session");
  const deleteOwn = ctx.db.prepare("DELETE FROM sessions WHERE id = ?1 AND user_id = ?2").bind(uuid, ctx.actor.userId);
  const [deleted] = await ctx.db.batch([
    deleteOwn,
    auditIfChangedStatement(ctx, { action: "session.ended", target: uuid }),
  ]);
  if (deleted?.meta.changes !== 1) throw notFound("Session");
  // A refresh token without its session is useless, so this need not be the same transaction.
  await deleteFamiliesStatement(ctx, [uuid]).run();
}

const OWN_REFRESH_TOKENS = "DELETE FROM refresh_tokens WHERE family IN (SELECT id FROM sessions WHERE user_id = ?1)";

/** Ends all sessions of the caller's user, that of the caller included. */
export async function revokeSessions(ctx: CallerCtx): Promise<void> {
  const { credentialId, userId } = ctx.actor;
  await ctx.db.batch([
    ctx.db.prepare(OWN_REFRESH_TOKENS).bind(userId),
    ctx.db.prepare("DELETE FROM sessions WHERE user_id = ?1").bind(userId),
    auditIfChangedStatement(ctx, { action: "session.ended", target: credentialId, detail: { all: true } }),
  ]);
}

/** Ends a session without authentication by its id. Safe to run twice. */
async function endSession(ctx: Ctx, sessionId: string): Promise<void> {
  await ctx.db.batch([
    auditSessionStatement(ctx, "session.ended", sessionId),
    deleteSessionStatement(ctx, sessionId),
    deleteFamiliesStatement(ctx, [sessionId]),
  ]);
}

/** Ends the session of an access token or, when that has expired, of a refresh token. Invalid tokens are ignored. */
export async function signOut(ctx: Ctx, accessToken: string | undefined, refreshToken: string | undefined) {
  const claims = accessToken === undefined ? null : await verifyAccessToken(ctx, "session", accessToken);
  const family = async () => (refreshToken === undefined ? null : findFamily(ctx, "session", refreshToken));
  const sessionId = claims?.sid ?? (await family());
  if (sessionId !== null) await endSession(ctx, sessionId);
}
