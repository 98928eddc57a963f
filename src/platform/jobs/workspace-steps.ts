import type { Ctx, MailCtx } from "../context.ts";

/** Workspaces of one statement of a job: of one whose cost grows with their rows, and of others. */
const COUNTED_PER_STEP = 50;
const WORKSPACES_PER_STEP = 500;

// The numbers of the workspaces of one database have gaps. D1 binds a number as REAL, whose division has no whole result.
const findSteps = (table: "workspaces" | "shard_workspaces") => `
  SELECT min(number) AS first, max(number) AS last
    FROM (SELECT number, (row_number() OVER (ORDER BY number) - 1) / CAST(?1 AS INTEGER) AS step FROM ${table}) GROUP BY step`;

/** Numbers of workspaces, from the first to the last. */
export interface WorkspaceStep {
  first: number;
  last: number;
}

/** Returns ranges of workspace numbers that have at most WORKSPACES_PER_STEP workspaces of the mail database each. */
export async function workspaceSteps(ctx: MailCtx): Promise<WorkspaceStep[]> {
  return ctx.mail.listRows<WorkspaceStep>(findSteps("shard_workspaces"), WORKSPACES_PER_STEP);
}

/** Returns ranges of workspace numbers that have at most COUNTED_PER_STEP workspaces of the main database each. */
export async function mainWorkspaceSteps(ctx: Ctx): Promise<WorkspaceStep[]> {
  return ctx.db.listRows<WorkspaceStep>(findSteps("workspaces"), COUNTED_PER_STEP);
}
