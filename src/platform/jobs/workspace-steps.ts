import type { MailCtx } from "../context.ts";

/** Workspaces of one statement of a job. */
const WORKSPACES_PER_STEP = 500;

// The numbers of the workspaces of one database have gaps. D1 binds a number as REAL, whose division has no whole result.
const FIND_STEPS = `
  SELECT min(number) AS first, max(number) AS last
    FROM (SELECT number, (row_number() OVER (ORDER BY number) - 1) / CAST(?1 AS INTEGER) AS step FROM shard_workspaces) GROUP BY step`;

/** Numbers of workspaces, from the first to the last. */
export interface WorkspaceStep {
  first: number;
  last: number;
}

/** Returns ranges of workspace numbers that have at most WORKSPACES_PER_STEP workspaces of the mail database each. */
export async function workspaceSteps(ctx: MailCtx): Promise<WorkspaceStep[]> {
  return ctx.mail.listRows<WorkspaceStep>(FIND_STEPS, WORKSPACES_PER_STEP);
}
