import { roleScopes } from "../../access/accounts/scopes.ts";
import { type Actor, type CallerCtx, type Role, requireAllDomains, requireScopes } from "../../access/caller.ts";
import { requireProofOfSession } from "../../access/sessions/reauthentication.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { cancelOffersStatements } from "../../platform/outbox/withdrawn-offers-statement.ts";
import { requireActiveWorkspace } from "../workspaces/index.ts";
import { changeMember, type NewStanding } from "./change.ts";
import { END_PASSWORDS, keepPasswordsStatement, keptDetail, requireMayKeep } from "./passwords.ts";
import type { MemberRow } from "./queries.ts";

/**
 * Changes the role of a member, and whether it sees only its mailboxes, from the next request of any of its credentials on. For a new member the passwords that it has set, and
 * its pending offers of domains, end as by `removeMember`. Throws 404; 403 for a role with more rights than the calling credential, when an admin changes
 * an owner, and for a new owner as `requireProofOfSession`; 409 for the last owner.
 */
export async function changeRole(
  ctx: CallerCtx,
  { workspaceId, userId }: { workspaceId: string; userId: string },
  standing: NewStanding,
  keep: readonly string[] = [],
): Promise<MemberRow> {
  const { role, mailboxesOnly } = standing;
  await requireActiveWorkspace(ctx, workspaceId);
  requireAllDomains(ctx);
  requireRightsOf(ctx.actor, role);
  if (role === "owner") requireProofOfSession(ctx);
  requireMayKeep(ctx.actor, keep);
  const { db, workspace } = ctx;
  return changeMember(ctx, userId, standing, ({ userId: target, email, role: before }) => [
    keepPasswordsStatement(ctx, target, keep),
    ...(role === "member" ? [db.prepare(END_PASSWORDS).bind(workspace.number, target)] : []),
    ...(role === "member" ? cancelOffersStatements(ctx, { workspace: workspace.number, userId: target }) : []),
    auditStatement(ctx, {
      action: "member.role_changed",
      target,
      detail: {
        email,
        from: before,
        to: role,
        ...(mailboxesOnly ? { mailboxes_only: true } : {}),
        ...keptDetail(keep),
      },
    }),
  ]);
}

/** Throws 403 unless the credential has all rights of a role: a restricted key must not give a person more than it has. */
export const requireRightsOf = (actor: Actor, role: Role): void => requireScopes(actor, ...roleScopes[role]);
