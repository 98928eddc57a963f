import { and, desc, eq, gt, lt } from "drizzle-orm";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { orm } from "../../platform/db/client.ts";
import { sessions } from "../../platform/db/schema/main/index.ts";
import type { CallerCtx, ListRange } from "../caller.ts";

export type SessionRow = typeof sessions.$inferSelect;

/** Returns the sessions of the caller's user that have not ended, newest first; `after` continues after this id. */
export function listSessions(ctx: CallerCtx, { after, limit }: ListRange) {
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

/** Returns a session of the caller's user. Throws 404 for an id that is malformed, unknown, ended or of another user. */
export async function getSession(ctx: CallerCtx, id: string): Promise<SessionRow> {
  const uuid = requireFound(parseUuid(id), "Session");
  const isOwn = and(eq(sessions.id, uuid), eq(sessions.userId, ctx.actor.userId), gt(sessions.expiresAt, ctx.now()));
  const [row] = await orm(ctx).select().from(sessions).where(isOwn);
  return requireFound(row, "Session");
}
