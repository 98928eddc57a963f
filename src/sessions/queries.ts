import { and, desc, eq, gt, lt } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { sessions } from "../db/schema/main/index.ts";

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
