import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { requireActiveWorkspace } from "../workspaces/index.ts";

const DELETE = "DELETE FROM invitations WHERE id = ?1 AND workspace = ?2";

/** Withdraws an invitation: its link stops working at once. Throws 404 for one that is unknown, accepted or withdrawn. */
export async function withdrawInvitation(ctx: CallerCtx, workspaceId: string, id: string): Promise<void> {
  await requireActiveWorkspace(ctx, workspaceId);
  requireAllDomains(ctx);
  const uuid = requireFound(parseUuid(id), "Invitation");
  const [deleted] = await ctx.db.batch([
    ctx.db.prepare(DELETE).bind(uuid, ctx.workspace.number),
    auditIfChangedStatement(ctx, { action: "invitation.withdrawn", target: uuid }),
  ]);
  if (deleted?.meta.changes !== 1) throw notFound("Invitation");
}
