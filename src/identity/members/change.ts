import type { Actor, CallerCtx, Role } from "../../access/caller.ts";
import { conflict, forbidden } from "../../lib/errors.ts";
import type { MainStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { getMember, type MemberRow } from "./queries.ts";
import { mayChange } from "./rules.ts";

/** Tries of read and write when the memberships change in between. */
const MAX_TRIES = 3;

// The change loses when the member or the caller has another role by now, or when no other owner would be left.
const GUARDS = `
  workspace = ?1 AND user_id = ?2 AND role = ?3
   AND EXISTS (SELECT 1 FROM memberships c WHERE c.workspace = ?1 AND c.user_id = ?4 AND c.role = ?5)
   AND (?3 <> 'owner' OR ?6 = 'owner'
        OR EXISTS (SELECT 1 FROM memberships o WHERE o.workspace = ?1 AND o.role = 'owner' AND o.user_id <> ?2))`;

const statements: Readonly<Record<"set" | "delete", string>> = {
  set: `UPDATE memberships SET role = ?6, mailboxes_only = ?7 WHERE ${GUARDS}`,
  delete: `DELETE FROM memberships WHERE ${GUARDS}`,
};

const FIND_OTHER_OWNER = "SELECT 1 FROM memberships WHERE workspace = ?1 AND role = 'owner' AND user_id <> ?2 LIMIT 1";

/** The standing that a member gets. `mailboxesOnly`: it sees only the mailboxes that it is assigned to; undefined: a member stays as it is. */
export interface NewStanding {
  role: Role;
  mailboxesOnly?: boolean | undefined;
}

/**
 * Sets the standing of a member, or removes it, with `others` in the same transaction. Throws 404, 403 when the role of the
 * caller does not permit it, 409 when the workspace would be left without an owner, and
 * ConcurrencyError when the role of the caller changes at the same moment.
 */
export async function changeMember(
  ctx: CallerCtx,
  userId: string,
  to: NewStanding | "removed",
  others: (member: MemberRow) => MainStatement[],
): Promise<MemberRow> {
  const { db, actor, workspace } = ctx;
  for (let tries = 1; ; tries++) {
    const member = await getMember(ctx, userId);
    const role = to === "removed" ? to : to.role;
    const before = role === "member" && member.mailboxesOnly;
    const mailboxesOnly = to === "removed" ? before : (to.mailboxesOnly ?? before);
    if (member.role === role && member.mailboxesOnly === mailboxesOnly) return member;
    requireChange(actor, member, role);
    const values = [workspace.number, member.userId, member.role, actor.userId, actor.role, role];
    try {
      await guardedBatch(db, [
        to === "removed"
          ? db.prepare(statements.delete).bind(...values)
          : db.prepare(statements.set).bind(...values, Number(mailboxesOnly)),
        expectChanges(db, 1),
        ...others(member),
      ]);
      return to === "removed" ? member : { ...member, role: to.role, mailboxesOnly };
    } catch (error) {
      if (!(error instanceof ConcurrencyError)) throw error;
      if (await isLastOwner(ctx, member))
        throw conflict("The last owner of a workspace cannot leave or change its role");
      if (tries === MAX_TRIES) throw error;
    }
  }
}

/** Throws 403 unless the caller may make the change. Everyone may leave. */
function requireChange(caller: Pick<Actor, "userId" | "role">, member: MemberRow, to: Role | "removed"): void {
  if (caller.userId === member.userId && to === "removed") return;
  if (!mayChange(caller.role, member.role, to))
    throw forbidden("Only an owner may change owners or make members owners");
}

async function isLastOwner({ db, workspace }: CallerCtx, member: MemberRow): Promise<boolean> {
  if (member.role !== "owner") return false;
  return (await db.findRow(FIND_OTHER_OWNER, workspace.number, member.userId)) === null;
}
