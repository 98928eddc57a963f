import type { CallerWorkspace, MailCtx } from "../../../platform/context.ts";

/** A workspace as the engine needs it. */
export interface WorkspaceState extends Pick<CallerWorkspace, "number" | "id" | "dailyLimit"> {
  timeZone: string;
}

const FIND = `
  SELECT number, id, coalesce(settings->>'$.time_zone', 'UTC') AS timeZone, daily_limit AS dailyLimit FROM workspaces
   WHERE number IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL`;

/** Returns the workspaces of these rows by number, without those that are deleted, in one D1 call. */
export async function findWorkspaces(ctx: MailCtx, of: readonly { workspace: number }[]) {
  const numbers = new Set(of.map(({ workspace }) => workspace));
  const results = await ctx.db.listRows<WorkspaceState>(FIND, JSON.stringify([...numbers]));
  return new Map(results.map((workspace) => [workspace.number, workspace]));
}
