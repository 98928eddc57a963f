import { and, desc, eq, gt, lt } from "drizzle-orm";
import type { CallerCtx, Ctx } from "../context.ts";
import { orm } from "../db/client.ts";
import { sessions } from "../db/schema/main/index.ts";
import type { ActiveWorkspace } from "./start.ts";

/** Returns the sessions of the caller's user that have not ended, newest first; `after` continues after this id. */
export function listSessions(ctx: CallerCtx, { after, limit }: { after?: string; limit: number }) {
  return orm(ctx)
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, ctx.actor.userId),
        gt(sessions.expiresAt, ctx.now()),
        after === undefined ? undefined : lt(sessions.id, after),
      ),
    )
    .orderBy(desc(sessions.id))
    .limit(limit);
}

/** Returns the workspace that a sign-in makes active: the oldest one of the user. Null when the user has none. */
export function findHome(ctx: Pick<Ctx, "db">, userId: string): Promise<ActiveWorkspace | null> {
  return ctx.db
    .prepare(
      `SELECT w.number, w.id FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
        WHERE m.user_id = ?1 ORDER BY m.created_at, m.workspace LIMIT 1`,
    )
    .bind(userId)
    .first<ActiveWorkspace>();
}
