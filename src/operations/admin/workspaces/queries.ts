import { and, asc, eq, gt, isNull } from "drizzle-orm";
import type { CallerCtx, ListRange } from "../../../access/caller.ts";
import { requireFound } from "../../../lib/errors.ts";
import { parseUuid } from "../../../lib/ids.ts";
import { orm } from "../../../platform/db/client.ts";
import { workspaces } from "../../../platform/db/schema/main/index.ts";

export type WorkspaceRow = typeof workspaces.$inferSelect;

/** Returns workspaces that are not deleted, in order of their ids, after an id. */
export function listAllWorkspaces(ctx: CallerCtx, { after, limit }: ListRange): Promise<WorkspaceRow[]> {
  return orm(ctx)
    .select()
    .from(workspaces)
    .where(and(isNull(workspaces.deletedAt), after === undefined ? undefined : gt(workspaces.id, after)))
    .orderBy(asc(workspaces.id))
    .limit(limit);
}

/** Returns any workspace that is not deleted. Throws 404. */
export async function getAnyWorkspace(ctx: CallerCtx, id: string): Promise<WorkspaceRow> {
  const uuid = requireFound(parseUuid(id), "Workspace");
  const [row] = await orm(ctx)
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.id, uuid), isNull(workspaces.deletedAt)));
  return requireFound(row, "Workspace");
}
