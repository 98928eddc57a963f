import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { requireProofOfSession } from "../../access/sessions/reauthentication.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { AppError, conflict, forbidden, invalidField } from "../../lib/errors.ts";
import { keyedHashes, randomToken } from "../../lib/secret-box.ts";
import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { BudgetSpentError } from "../../platform/budgets/spent.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { countSql, hasRoom, mostSql } from "../../platform/db/has-room.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { requireExactly } from "../../platform/rate-limits/exact.ts";
import { countForReader } from "../../platform/service-mail/count-for-reader.ts";
import { quoteName, readerOf } from "../../platform/service-mail/rules.ts";
import type { SendSystemEmail } from "../../platform/service-mail/system-email.ts";
import { mayChange, requireRightsOf } from "../members/index.ts";
import { INVITATION_PURPOSE } from "../sign-ins/index.ts";
import { requireActiveWorkspace } from "../workspaces/index.ts";
import type { InvitationRow } from "./queries.ts";
import { INVITATION_TTL_MS, invitationPolicies } from "./rules.ts";
import { type InvitationIn, type SentInvitationOut, toInvitation } from "./schema.ts";

// The invitation of the same address is replaced.
const COUNT_OTHERS = countSql("invitations", "?1", { now: "?3", besides: "email_key <> ?2" });

const FIND_STATE = `
  SELECT EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id AND m.workspace = ?1 WHERE u.email_key = ?2) AS isMember,
    ${COUNT_OTHERS} AS others, ${mostSql("invitations", "?1")} AS most`;

// Inserts nothing when the caller left the workspace or lost its role since the request was authenticated. Without an email the link that
// was mailed earlier stays that of the invitation.
const INSERT = `
  INSERT INTO invitations (workspace, email_key, created_at, id, email, role, hash, invited_by, expires_at, mailboxes_only)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?12
   WHERE EXISTS (SELECT 1 FROM memberships WHERE workspace = ?1 AND user_id = ?8 AND role = ?10)
     AND ${hasRoom("invitations", "?1", COUNT_OTHERS)}
  ON CONFLICT (workspace, email_key) DO UPDATE SET
    created_at = excluded.created_at, id = excluded.id, email = excluded.email, role = excluded.role,
    hash = iif(?11, excluded.hash, hash), invited_by = excluded.invited_by, expires_at = excluded.expires_at,
    mailboxes_only = excluded.mailboxes_only`;

/**
 * Invites a person to the caller's workspace by a mailed link, which is valid for 7 days and once. A later invitation of the same address
 * replaces the earlier one. The email is accepted before the invitation is stored: a crash in between leaves a link that does not work. No
 * email leaves when the address has got as many as it may today; the dashboard shows the invitation to its user. Throws 404; 403 for a
 * restricted account, for a role with more rights than the calling credential, and for an owner as `requireProofOfSession`; 409 for a member
 * and at the limit of open invitations; 422 for an invalid address; 429 beyond the invitations of an hour; 503 when the service cannot send
 * emails of its own.
 */
export async function inviteMember(
  ctx: CallerCtx,
  workspaceId: string,
  input: InvitationIn,
  sendEmail: SendSystemEmail,
): Promise<SentInvitationOut> {
  await requireActiveWorkspace(ctx, workspaceId);
  requireAllDomains(ctx);
  const { db, actor, workspace } = ctx;
  if (actor.restricted) throw forbidden("This account is restricted and cannot send");
  requireRightsOf(actor, input.role);
  if (!mayChange(actor.role, "member", input.role)) throw forbidden("Only an owner may invite owners");
  if (input.role === "owner") requireProofOfSession(ctx);
  const address = parseAddress(input.email);
  if (!address) throw invalidField("email", "email must be a valid email address");
  const now = ctx.now();
  const key = [workspace.number, address.key, now] as const;
  const state = await db.findRow<Record<"isMember" | "others" | "most", number>>(FIND_STATE, ...key);
  if (state?.isMember === 1) throw conflict("A user with this address is a member already");
  if (state && state.others >= state.most) throw new BudgetSpentError("invitations", state.others);
  await requireExactly(ctx, invitationPolicies.workspace, workspace.id, "workspace");
  const token = randomToken();
  const [hash] = await keyedHashes(ctx.settings.masterKeys, INVITATION_PURPOSE, token);
  const row: InvitationRow = {
    id: ctx.newId(),
    workspace: workspace.number,
    email: address.address,
    emailKey: address.key,
    role: input.role,
    mailboxesOnly: input.mailboxes_only ?? false,
    invitedBy: actor.userId,
    createdAt: now,
    expiresAt: now + INVITATION_TTL_MS,
  };
  const isSent = await sendInvitation(ctx, row, token, sendEmail);
  const response = { ...toInvitation(row), email_sent: isSent };
  const values = [
    row.id,
    row.email,
    row.role,
    hash,
    actor.userId,
    row.expiresAt,
    actor.role,
    isSent ? 1 : 0,
    Number(row.mailboxesOnly),
  ];
  await guardedBatch(db, [
    db.prepare(INSERT).bind(...key, ...values),
    expectChanges(db, 1),
    auditStatement(ctx, { action: "invitation.created", target: row.id, detail: { email: row.email, role: row.role } }),
    ...notifyOwnersStatements(ctx, row.workspace, {
      category: "team",
      severity: "info",
      href: "/team",
      title: `${row.email} was invited`,
      body: `${actor.email} has invited ${row.email} to the workspace with the role ${row.role}.`,
    }),
    ...(await storeResponse(ctx, response)),
  ]);
  return response;
}

/** Emails an invitation, unless its address has got as many as it may today. Returns whether it did. */
async function sendInvitation(
  ctx: CallerCtx,
  { email, emailKey, role }: InvitationRow,
  token: string,
  sendEmail: SendSystemEmail,
): Promise<boolean> {
  const { settings, actor, workspace } = ctx;
  const counted = await countForReader(ctx, email, [
    [invitationPolicies.emailsFromWorkspace, `${workspace.id} ${readerOf(emailKey)}`],
  ]);
  if (!counted) return false;
  const parts = [
    `${actor.email} invites you to the workspace ${quoteName(workspace.name)} as ${role === "member" ? "a member" : `an ${role}`}.`,
    {
      ask: "To accept, open this link within 7 days:",
      label: "See the invitation",
      url: `${settings.publicUrl}/invitations/${token}`,
    },
    "If you do not know the sender, ignore this email.",
  ];
  // Workspaces are named by anyone, so their names are not in subjects.
  const subject = `You are invited to ${settings.serviceName}`;
  let isSent = false;
  try {
    isSent = await sendEmail(ctx, { to: email, subject, parts, cause: "invitation", counted });
  } finally {
    if (!isSent) await counted.giveBack();
  }
  if (isSent) return true;
  throw new AppError(503, "Invitations cannot be sent: this service has no mailbox for its own emails");
}
