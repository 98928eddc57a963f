import { notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { auditSessionStatement } from "../../platform/audit/record-session.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { CallerCtx } from "../caller.ts";
import { deleteFamiliesStatement } from "../tokens/issue-refresh-token.ts";

/** Returns the statement that deletes a session, which ends it at the next request. */
export function deleteSessionStatement(ctx: Pick<Ctx, "db">, sessionId: string): MainStatement {
  return ctx.db.prepare("DELETE FROM sessions WHERE id = ?1").bind(sessionId);
}

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

/** Ends a session without authentication by its id. Safe to run twice. */
export async function endSession(ctx: Ctx, sessionId: string): Promise<void> {
  await ctx.db.batch([
    auditSessionStatement(ctx, "session.ended", sessionId),
    deleteSessionStatement(ctx, sessionId),
    deleteFamiliesStatement(ctx, [sessionId]),
  ]);
}
