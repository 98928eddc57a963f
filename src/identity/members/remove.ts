import { type CallerCtx, requireAllDomains, requireScopes } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { requireActiveWorkspace } from "../workspaces/index.ts";
import { changeMember } from "./change.ts";
import { endMembershipStatements } from "./end-membership.ts";
import { keepPasswordsStatement, keptDetail, requireMayKeep } from "./passwords.ts";

/**
 * Removes a member, or lets the caller leave. Its API keys, sessions, OAuth grants, passwords of mailboxes, assignments and pending offers of domains in the workspace
 * end in the same transaction; of the mailboxes `keep` an owner keeps the password, and becomes its maker. Leaving takes a session or `team:manage`, removing others `team:manage`. Throws 404, 403,
 * and 409 for the last owner.
 */
export async function removeMember(
  ctx: CallerCtx,
  { workspaceId, userId }: { workspaceId: string; userId: string },
  keep: readonly string[] = [],
): Promise<void> {
  await requireActiveWorkspace(ctx, workspaceId);
  requireAllDomains(ctx);
  const { actor, workspace } = ctx;
  const isLeaving = userId.toLowerCase() === actor.userId;
  if (!(isLeaving && actor.kind === "session")) requireScopes(actor, "team:manage");
  requireMayKeep(actor, keep);
  await changeMember(ctx, userId, "removed", ({ userId: target, email, role }) => [
    keepPasswordsStatement(ctx, target, keep),
    ...endMembershipStatements(ctx, { workspace: workspace.number, userId: target }),
    auditStatement(ctx, {
      action: isLeaving ? "member.left" : "member.removed",
      target,
      detail: { email, role, ...keptDetail(keep) },
    }),
  ]);
}
