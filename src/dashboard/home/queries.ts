import type { CallerCtx, Role } from "../../context.ts";

/** A workspace of the caller's user. */
export interface OwnWorkspace {
  id: string;
  name: string;
  role: Role;
}

/** Returns the workspaces of the caller's user, oldest membership first, at most 100. */
export async function listOwnWorkspaces(ctx: CallerCtx): Promise<OwnWorkspace[]> {
  const { results } = await ctx.db
    .prepare(
      `SELECT w.id, w.name, m.role FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
        WHERE m.user_id = ?1 ORDER BY m.created_at, m.workspace LIMIT 100`,
    )
    .bind(ctx.actor.userId)
    .all<OwnWorkspace>();
  return results;
}
