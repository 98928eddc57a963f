import type { CallerCtx } from "../../access/caller.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { transferError } from "./errors.ts";

/** A workspace that may get a domain. */
export interface TargetWorkspace {
  number: number;
  id: string;
  name: string;
}

// Numbers of workspaces grow with time.
const FIND_MANAGED = `
  SELECT w.number, w.id, w.name FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
   WHERE m.user_id = ?1 AND m.role IN ('owner', 'admin') ORDER BY w.number LIMIT 100`;

/** Returns the workspaces in which a user is owner or admin, oldest first, at most 100. */
export const listManagedWorkspaces = (ctx: Pick<Ctx, "db">, userId: string): Promise<TargetWorkspace[]> =>
  ctx.db.listRows<TargetWorkspace>(FIND_MANAGED, userId);

/** Returns the workspaces into which the caller may accept a domain: an API key or OAuth token into its own only. */
export async function listTargets(ctx: CallerCtx): Promise<TargetWorkspace[]> {
  const { actor, workspace } = ctx;
  if (actor.kind === "session") return listManagedWorkspaces(ctx, actor.userId);
  return actor.role === "member" ? [] : [workspace];
}

/**
 * Returns the workspace that gets the domain of a workspace `source`: the one with this id, by default the oldest other one.
 * Throws 403 unless the caller is owner or admin of it, 409 for the source workspace.
 */
export async function chooseTarget(ctx: CallerCtx, source: number, id: string | null): Promise<TargetWorkspace> {
  const targets = await listTargets(ctx);
  const [chosen] =
    id === null
      ? [...targets].sort((a, b) => rank(a) - rank(b))
      : targets.filter((target) => target.id === parseUuid(id));
  if (!chosen) throw transferError("org_access_lost");
  if (chosen.number === source) throw transferError("self_transfer", { detail: IS_SOURCE });
  return chosen;

  function rank({ number }: TargetWorkspace): number {
    return number === source ? Number.POSITIVE_INFINITY : number;
  }
}

/** Message for a transfer into the workspace that has the domain. */
export const IS_SOURCE = "The domain is in this workspace already; choose another one";
