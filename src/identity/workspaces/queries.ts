import { and, asc, eq, getTableColumns, gt, isNull, type SQL } from "drizzle-orm";
import type { CallerCtx, ListRange, Role } from "../../access/caller.ts";
import { conflict, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { orm } from "../../platform/db/client.ts";
import { memberships, workspaces } from "../../platform/db/schema/main/index.ts";

export type WorkspaceRow = typeof workspaces.$inferSelect;

interface Membership {
  row: WorkspaceRow;
  role: Role;
}

/** Throws unless the credential acts in the workspace `id`: 409 for another one that the session may switch to, 404 for any other. */
export async function requireActiveWorkspace(ctx: CallerCtx, id: string): Promise<void> {
  if (id.toLowerCase() === ctx.workspace.id) return;
  await getMembership(ctx, id);
  throw conflict("Your session acts in another workspace; switch to this one first (POST /auth/workspace)");
}

/** Returns the workspace that the credential acts in. Throws 404 when it was deleted meanwhile. */
export const getWorkspace = async (ctx: CallerCtx): Promise<WorkspaceRow> =>
  (await getMembership(ctx, ctx.workspace.id)).row;

/** Returns a workspace of the caller's user: for a session each that it lists, for other credentials the one they act in. Throws 404. */
export async function getMembership(ctx: CallerCtx, id: string): Promise<Membership> {
  const [found] = await visible(ctx, eq(workspaces.id, requireFound(parseUuid(id), "Workspace")));
  return requireFound(found, "Workspace");
}

/**
 * Returns the workspaces of the caller's user with its role in each, oldest first; `after` continues after this id. An API
 * key or OAuth token sees the workspace that it acts in, only a session sees the others.
 */
export function listWorkspaces(ctx: CallerCtx, { after, limit }: ListRange): Promise<Membership[]> {
  return visible(ctx, after === undefined ? undefined : gt(workspaces.id, after))
    .orderBy(asc(workspaces.id))
    .limit(limit);
}

/** Selects the workspaces that the caller may read and that meet a condition, with the role of its user. */
function visible({ db, actor, workspace }: CallerCtx, condition: SQL | undefined) {
  return orm({ db })
    .select({ row: getTableColumns(workspaces), role: memberships.role })
    .from(memberships)
    .innerJoin(workspaces, eq(workspaces.number, memberships.workspace))
    .where(
      and(
        eq(memberships.userId, actor.userId),
        isNull(workspaces.deletedAt),
        actor.kind === "session" ? undefined : eq(workspaces.number, workspace.number),
        condition,
      ),
    );
}
