import type { CallerCtx } from "../../access/caller.ts";
import { addressKey } from "../../lib/addresses.ts";
import { conflict, forbidden, notFound } from "../../lib/errors.ts";
import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { type AuditActor, auditIfChangedStatement } from "../../platform/audit/record.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { countSql, hasRoom } from "../../platform/db/has-room.ts";
import { getInvitation, type Invitation, listReceivedInvitations } from "./queries.ts";
import type { AcceptedOut } from "./schema.ts";

// Repeats the conditions of the read: the workspace may be deleted, and the sender removed, at the same moment.
const REDEEM = `
  DELETE FROM invitations WHERE id = ?1 AND expires_at > ?2
   AND EXISTS (SELECT 1 FROM workspaces w WHERE w.number = invitations.workspace AND w.deleted_at IS NULL)
   AND EXISTS (SELECT 1 FROM memberships m WHERE m.workspace = invitations.workspace AND m.user_id = invitations.invited_by
                AND (m.role = 'owner' OR (m.role = 'admin' AND invitations.role <> 'owner')))`;

const OTHERS = countSql("memberships", "?1", { besides: "user_id <> ?2" });

// A user who is a member by now keeps its role; the invitation is used up.
const JOIN = `
  INSERT INTO memberships (workspace, user_id, role, created_at, mailboxes_only)
  SELECT ?1, ?2, ?3, ?4, ?5 WHERE ${hasRoom("memberships", "?1", OTHERS)} ON CONFLICT DO NOTHING`;

const FIND_MEMBERSHIP = "SELECT 1 FROM memberships WHERE workspace = ?1 AND user_id = ?2";

/**
 * Returns the statements that redeem an invitation and make the user a member, for a guarded batch that may also create the
 * user. Of concurrent batches one commits. The others throw ConcurrencyError. `by` is recorded in the audit log.
 */
export function acceptStatements(
  ctx: Pick<Ctx, "db" | "now" | "newId">,
  { id, email, role, mailboxesOnly, workspace }: Invitation,
  by: { actor: AuditActor; clientIp: string | null },
): MainStatement[] {
  const { db } = ctx;
  const { userId } = by.actor;
  const entry = { action: "member.joined", target: userId, detail: { email, role, invitation_id: id } } as const;
  return [
    db.prepare(REDEEM).bind(id, ctx.now()),
    expectChanges(db, 1),
    db.prepare(JOIN).bind(workspace.number, userId, role, ctx.now(), Number(mailboxesOnly)),
    auditIfChangedStatement({ ...ctx, ...by, workspace }, entry),
    ...notifyOwnersStatements(ctx, workspace.number, {
      category: "team",
      severity: "success",
      href: "/team",
      title: `${email} has joined`,
      body: `${email} has accepted the invitation and is a member of the workspace with the role ${role}.`,
    }),
  ];
}

/**
 * Makes the caller's user a member of the workspace that invited it. The invitation is bound to its address, so a link that
 * was forwarded does not work for others. Throws 404 for a token that is unknown, used or withdrawn, 410 for an expired one,
 * 403 for another user's invitation, and 409 for a member.
 */
export async function acceptInvitation(ctx: CallerCtx, token: string): Promise<AcceptedOut> {
  const invitation = await getInvitation(ctx, token);
  if (addressKey(ctx.actor.email) !== invitation.emailKey)
    throw forbidden("This invitation was sent to another address");
  return join(ctx, invitation);
}

/** Makes the caller's user a member by an invitation that `listReceivedInvitations` returns. Throws 404 for another one. */
export async function acceptReceivedInvitation(ctx: CallerCtx, id: string): Promise<AcceptedOut> {
  const invitation = (await listReceivedInvitations(ctx)).find((one) => one.id === id.toLowerCase());
  if (!invitation) throw notFound("Invitation");
  return join(ctx, invitation);
}

async function join(ctx: CallerCtx, invitation: Invitation): Promise<AcceptedOut> {
  const membership = ctx.db.prepare(FIND_MEMBERSHIP).bind(invitation.workspace.number, ctx.actor.userId);
  if ((await membership.first()) !== null) throw conflict("You are a member of this workspace already");
  await guardedBatch(ctx.db, acceptStatements(ctx, invitation, ctx)).catch(onConcurrency(() => notFound("Invitation")));
  const { workspace, role } = invitation;
  return { workspace: { id: workspace.id, name: workspace.name }, role };
}
