import type { CallerCtx } from "../../../access/caller.ts";
import { requireProofOfSession } from "../../../access/sessions/reauthentication.ts";
import { conflict, forbidden } from "../../../lib/errors.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import type { MainStatement } from "../../../platform/context.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../../platform/db/batch.ts";
import { shardSql } from "../../../platform/jobs/shards.ts";
import { type SendSystemEmail, sendNotice } from "../../../platform/service-mail/system-email.ts";
import { closeForMail, deletionStatements } from "../../workspaces/index.ts";
import { endMembershipStatements } from "../end-membership.ts";
import { type AccountWorkspace, deletionIssue, isAlone, limits } from "./rules.ts";

type FoundWorkspace = Omit<AccountWorkspace, `hasOther${string}`> & { has_others: number; has_other_owner: number };

// One more than the limit shows that there are too many.
const FIND = `
  SELECT w.number, w.id, w.name, ${shardSql("w")} AS mailShard, m.role,
         EXISTS (SELECT 1 FROM memberships o WHERE o.workspace = w.number AND o.user_id <> ?1) AS has_others,
         EXISTS (SELECT 1 FROM memberships o WHERE o.workspace = w.number AND o.user_id <> ?1 AND o.role = 'owner')
           AS has_other_owner
    FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
   WHERE m.user_id = ?1 ORDER BY m.created_at, w.number LIMIT ${limits.accountWorkspaces + 1}`;

// The row stays, because the audit log and revoked keys name it; nothing in it tells whose it was. `.invalid` is no domain
// (RFC 2606 2). Changes nothing when a workspace, its members or the right of the account are others by now: ?2 has the
// workspaces that are left, ?3 those that are deleted with the account.
const ERASE = `
  UPDATE users SET email = id || '@deleted.invalid', email_key = id || '@deleted.invalid', name = NULL, time_zone = NULL,
         is_platform_admin = 0
   WHERE id = ?1 AND restricted_at IS NULL
     AND (SELECT count(*) FROM memberships WHERE user_id = ?1) = json_array_length(?2) + json_array_length(?3)
     AND NOT EXISTS (SELECT 1 FROM memberships WHERE workspace IN (SELECT value FROM json_each(?3)) AND user_id <> ?1)
     AND NOT EXISTS (
       SELECT 1 FROM memberships m JOIN json_each(?2) ON value = m.workspace
        WHERE m.user_id = ?1 AND m.role = 'owner' AND NOT EXISTS (
          SELECT 1 FROM memberships o WHERE o.workspace = m.workspace AND o.role = 'owner' AND o.user_id <> ?1))
     AND (is_platform_admin = 0 OR EXISTS (SELECT 1 FROM users o WHERE o.is_platform_admin = 1 AND o.id <> ?1))`;

/** Deletes what belongs to the user alone. Its access to each workspace ends by `endMembershipStatements`. */
const DELETE_OWN = [
  "DELETE FROM identities WHERE user_id = ?1",
  "DELETE FROM user_totp WHERE user_id = ?1",
  "DELETE FROM recovery_codes WHERE user_id = ?1",
  "DELETE FROM notification_preferences WHERE user_id = ?1",
];

const DELETE_IN_WORKSPACE = [
  "DELETE FROM notifications WHERE workspace = ?1 AND user_id = ?2",
  "DELETE FROM saved_searches WHERE workspace = ?1 AND user_id = ?2",
  "DELETE FROM memberships WHERE workspace = ?1 AND user_id = ?2",
];

/**
 * Deletes the account of a session's user: its memberships, sessions, keys, links to identity providers and second factor. What
 * it made in workspaces of others stays there. `workspaces`: those in which the user is alone are deleted too. Bound: 20
 * workspaces, in one transaction. Throws 403 without a recent proof of identity or for a restricted account, and 409 for
 * the last owner of a workspace or the last administrator of the platform (docs/contract/workspaces.md#deleting-an-account).
 */
export async function deleteAccount(
  ctx: CallerCtx,
  { workspaces, sendEmail }: { workspaces: "delete" | "keep"; sendEmail: SendSystemEmail },
): Promise<void> {
  const { actor, db } = ctx;
  if (actor.restricted) throw forbidden("Your account is restricted");
  requireProofOfSession(ctx);
  const found = await listAccountWorkspaces(ctx);
  const issue = deletionIssue(found, workspaces);
  if (issue) throw conflict(issue.detail, { code: issue.code, blockers: issue.blockers });
  const alone = found.filter(isAlone);
  const left = found.filter((workspace) => !isAlone(workspace));
  const numbers = (of: readonly AccountWorkspace[]) => JSON.stringify(of.map(({ number }) => number));
  await guardedBatch(db, [
    db.prepare(ERASE).bind(actor.userId, numbers(left), numbers(alone)),
    expectChanges(db, 1),
    ...alone.flatMap((workspace) => deletionStatements(ctx, workspace)),
    ...left.flatMap((workspace) => leaveStatements(ctx, workspace)),
    ...DELETE_OWN.map((sql) => db.prepare(sql).bind(actor.userId)),
    auditStatement({ ...ctx, workspace: null }, { action: "user.deleted", target: actor.userId }),
  ]).catch(
    onConcurrency(() =>
      conflict("Your workspaces have just changed, or you are the last administrator of the platform; try again"),
    ),
  );
  await Promise.all(alone.map((workspace) => closeForMail(ctx, workspace)));
  await sendConfirmation(ctx, sendEmail);
}

/** Returns the workspaces of the caller's user, oldest membership first, at most one more than the limit. */
export async function listAccountWorkspaces(ctx: CallerCtx): Promise<AccountWorkspace[]> {
  const results = await ctx.db.listRows<FoundWorkspace>(FIND, ctx.actor.userId);
  return results.map(({ has_others, has_other_owner, ...workspace }) => ({
    ...workspace,
    hasOtherMembers: has_others === 1,
    hasOtherOwner: has_other_owner === 1,
  }));
}

function leaveStatements(ctx: CallerCtx, { number, role }: AccountWorkspace): MainStatement[] {
  const { userId, email } = ctx.actor;
  return [
    ...endMembershipStatements(ctx, { workspace: number, userId }),
    ...DELETE_IN_WORKSPACE.map((sql) => ctx.db.prepare(sql).bind(number, userId)),
    auditStatement(
      { ...ctx, workspace: { number } },
      { action: "member.left", target: userId, detail: { email, role } },
    ),
  ];
}

const sendConfirmation = (ctx: CallerCtx, sendEmail: SendSystemEmail) =>
  sendNotice(
    ctx,
    {
      cause: "security_notice",
      to: ctx.actor.email,
      subject: `Your account at ${ctx.settings.serviceName} is deleted`,
      parts: [
        `Your account at ${ctx.settings.serviceName} was deleted, with its sessions and API keys. Nothing is left to do.`,
        "If it was not you, reply to this email at once.",
      ],
    },
    sendEmail,
  );
