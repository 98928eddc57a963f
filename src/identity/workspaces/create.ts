import { type CallerCtx, requireScopes } from "../../access/caller.ts";
import { auditInNewWorkspaceStatement } from "../../platform/audit/record.ts";
import { repeatableBatch } from "../../platform/db/batch.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { requireExactly } from "../../platform/rate-limits/exact.ts";
import { newWorkspace, toSlug } from "./new-workspace.ts";
import { creationPolicy } from "./rules.ts";
import { toWorkspace, type WorkspaceIn, type WorkspaceOut } from "./schema.ts";

/**
 * Creates a workspace whose only member is the caller's user, as its owner. The session switches to it by another call. Throws
 * 403 for a user who manages no team in the active workspace: a member was invited to work in that one, 429 beyond the workspaces of an hour,
 * 409 beyond those that a user may own.
 */
export async function createWorkspace(ctx: CallerCtx, { name }: WorkspaceIn): Promise<WorkspaceOut> {
  requireScopes(ctx.actor, "team:manage");
  await requireExactly(ctx, creationPolicy, ctx.actor.userId, "user");
  const { id, createdAt, statements } = await newWorkspace(ctx, { name, ownerId: ctx.actor.userId });
  const unpaused = { sendingPausedAt: null, bulkPause: 0, bulkPausedAt: null };
  const row = { id, name, slug: toSlug(name, id), settings: {}, slackWebhookUrl: null, createdAt, ...unpaused };
  const response = toWorkspace(ctx, row, "owner");
  await repeatableBatch(ctx, ctx.db, [
    ...statements,
    auditInNewWorkspaceStatement(ctx, { action: "workspace.created", target: id, detail: { name } }),
    ...(await storeResponse(ctx, response)),
  ]);
  return response;
}
