import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { AppError, conflict, forbidden, invalidField } from "../../lib/errors.ts";
import { randomToken } from "../../lib/random-token.ts";
import { keyedHashes } from "../../lib/secret-box.ts";
import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/index.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { storeResponse } from "../../platform/idempotency/index.ts";
import type { SendSystemEmail } from "../../platform/system-email.ts";
import { mayChange, requireRightsOf } from "../members/index.ts";
import { requireActiveWorkspace } from "../workspaces/index.ts";
import { INVITATION_PURPOSE, type InvitationRow } from "./queries.ts";
import { INVITATION_TTL_MS } from "./rules.ts";
import { type InvitationIn, type InvitationOut, toInvitation } from "./schema.ts";

const FIND_MEMBER = `
  SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id AND m.workspace = ?1 WHERE u.email_key = ?2`;

const DELETE_EARLIER = "DELETE FROM invitations WHERE workspace = ?1 AND email_key = ?2";

// Inserts nothing when the caller left the workspace or lost its role since the request was authenticated.
const INSERT = `
  INSERT INTO invitations (id, workspace, email, email_key, role, hash, invited_by, created_at, expires_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
   WHERE EXISTS (SELECT 1 FROM memberships WHERE workspace = ?2 AND user_id = ?7 AND role = ?10)`;

/**
 * Invites a person to the caller's workspace by a mailed link, which is valid for 7 days and once. A later invitation of the
 * same address replaces the earlier one. The email is accepted before the invitation is stored: a crash in between leaves a
 * link that does not work, never an invitation without an email. Throws 404; 403 for a restricted account and for a role
 * with more rights than the calling credential; 409 for a member; 422 for an invalid address; 503 when the service cannot send emails of its own.
 */
export async function inviteMember(
  ctx: CallerCtx,
  workspaceId: string,
  input: InvitationIn,
  sendEmail: SendSystemEmail,
): Promise<InvitationOut> {
  await requireActiveWorkspace(ctx, workspaceId);
  requireAllDomains(ctx);
  const { db, actor, workspace } = ctx;
  if (actor.restricted) throw forbidden("This account is restricted and cannot send");
  requireRightsOf(actor, input.role);
  if (!mayChange(actor.role, "member", input.role)) throw forbidden("Only an owner may invite owners");
  const address = parseAddress(input.email);
  if (!address) throw invalidField("email", "email must be a valid email address");
  if ((await db.prepare(FIND_MEMBER).bind(workspace.number, address.key).first()) !== null)
    throw conflict("A user with this address is a member already");
  const token = randomToken();
  const [hash] = await keyedHashes(ctx.settings.masterKeys, INVITATION_PURPOSE, token);
  const now = ctx.now();
  const row: InvitationRow = {
    id: ctx.newId(),
    workspace: workspace.number,
    email: address.address,
    emailKey: address.key,
    role: input.role,
    invitedBy: actor.userId,
    createdAt: now,
    expiresAt: now + INVITATION_TTL_MS,
  };
  await sendInvitation(ctx, row, token, sendEmail);
  const response = toInvitation(row);
  await guardedBatch(db, [
    db.prepare(DELETE_EARLIER).bind(workspace.number, address.key),
    db
      .prepare(INSERT)
      .bind(
        row.id,
        row.workspace,
        row.email,
        row.emailKey,
        row.role,
        hash,
        actor.userId,
        now,
        row.expiresAt,
        actor.role,
      ),
    expectChanges(db, 1),
    auditStatement(ctx, { action: "invitation.created", target: row.id, detail: { email: row.email, role: row.role } }),
    ...notifyOwnersStatements(ctx, row.workspace, {
      ...{ category: "team", severity: "info", href: "/team" },
      title: `${row.email} was invited`,
      body: `${actor.email} has invited ${row.email} to the workspace with the role ${row.role}.`,
    }),
    ...storeResponse(ctx, response),
  ]);
  return response;
}

async function sendInvitation(
  ctx: CallerCtx,
  { email, role }: InvitationRow,
  token: string,
  sendEmail: SendSystemEmail,
): Promise<void> {
  const { settings, actor, workspace } = ctx;
  const parts = [
    `${actor.email} invites you to the workspace "${workspace.name}" as ${role === "member" ? "a member" : `an ${role}`}.`,
    {
      ask: "To accept, open this link within 7 days:",
      label: `Join ${workspace.name}`,
      url: `${settings.publicUrl}/invitations/${token}`,
    },
    "If you do not know the sender, ignore this email.",
  ];
  const subject = `Invitation to ${workspace.name}`;
  if (!(await sendEmail(ctx, { to: email, subject, parts })))
    throw new AppError(503, "Invitations cannot be sent: this service has no mailbox for its own emails");
}
