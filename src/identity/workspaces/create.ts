import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { auditInNewWorkspaceStatement } from "../../platform/audit/index.ts";
import { repeatableBatch } from "../../platform/db/batch.ts";
import { storeResponse } from "../../platform/idempotency/index.ts";
import { newWorkspace, toSlug } from "./new-workspace.ts";
import { toWorkspace, type WorkspaceIn, type WorkspaceOut } from "./schema.ts";

/**
 * Creates a workspace whose only member is the caller's user, as its owner. An API key cannot act in it: a session switches
 * to it, and creates keys there. Throws 403 for a key that is restricted to domains.
 */
export async function createWorkspace(ctx: CallerCtx, { name }: WorkspaceIn): Promise<WorkspaceOut> {
  requireAllDomains(ctx);
  const { id, createdAt, statements } = newWorkspace(ctx, { name, ownerId: ctx.actor.userId });
  const response = toWorkspace(
    {
      id,
      name,
      slug: toSlug(name, id),
      settings: {},
      sendingPausedAt: null,
      pausedByPlatformAt: null,
      dailyLimit: null,
      bulkPause: 0,
      bulkPausedAt: null,
      bulkResumedAt: null,
      slackWebhookUrl: null,
      createdAt,
    },
    "owner",
  );
  await repeatableBatch(ctx, ctx.db, [
    ...statements,
    auditInNewWorkspaceStatement(ctx, { action: "workspace.created", target: id, detail: { name } }),
    ...storeResponse(ctx, response),
  ]);
  return response;
}
