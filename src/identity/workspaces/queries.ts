import { and, asc, eq, getTableColumns, gt, isNull } from "drizzle-orm";
import type { CallerCtx, Role } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { orm } from "../../platform/db/client.ts";
import { memberships, workspaces } from "../../platform/db/schema/main/index.ts";

export type WorkspaceRow = typeof workspaces.$inferSelect;

/** Throws 404 unless `id` is the workspace that the credential acts in. */
export function requireActiveWorkspace(ctx: CallerCtx, id: string): void {
  if (id.toLowerCase() !== ctx.workspace.id) throw notFound("Workspace");
}

/** Returns the workspace that the credential acts in. Throws 404 for any other id. */
export async function getWorkspace(ctx: CallerCtx, id: string): Promise<WorkspaceRow> {
  requireActiveWorkspace(ctx, id);
  const [row] = await orm(ctx).select().from(workspaces).where(eq(workspaces.number, ctx.workspace.number));
  if (!row) throw notFound("Workspace");
  return row;
}

/**
 * Returns the workspaces of the caller's user with its role in each, oldest first; `after` continues after this id. An API
 * key or OAuth token sees the workspace that it acts in, only a session sees the others.
 */
export function listWorkspaces(
  { db, actor, workspace }: CallerCtx,
  { after, limit }: { after?: string; limit: number },
): Promise<{ row: WorkspaceRow; role: Role }[]> {
  return orm({ db })
    .select({ row: getTableColumns(workspaces), role: memberships.role })
    .from(memberships)
    .innerJoin(workspaces, eq(workspaces.number, memberships.workspace))
    .where(
      and(
        eq(memberships.userId, actor.userId),
        isNull(workspaces.deletedAt),
        actor.kind === "session" ? undefined : eq(workspaces.number, workspace.number),
        after === undefined ? undefined : gt(workspaces.id, after),
      ),
    )
    .orderBy(asc(workspaces.id))
    .limit(limit);
}
