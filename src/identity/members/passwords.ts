import type { Actor, CallerCtx } from "../../access/caller.ts";
import { forbidden } from "../../lib/errors.ts";
import type { MainStatement } from "../../platform/context.ts";

/** A mailbox whose password a member has set. */
export interface SetPassword {
  id: string;
  address: string;
}

/** Passwords of mailboxes of the workspace ?1 that the user ?2 has set, in a session or by an API key. */
const SET_BY = `
  mailbox_id IN (SELECT id FROM mailboxes WHERE workspace = ?1)
   AND (user_id = ?2 OR api_key_id IN (SELECT id FROM api_keys WHERE workspace = ?1 AND user_id = ?2))`;

/** SQL: ends the passwords that the user ?2 has set of mailboxes of the workspace ?1. */
export const END_PASSWORDS = `DELETE FROM mailbox_passwords WHERE ${SET_BY}`;

const LIST = `
  SELECT b.id, b.address FROM mailboxes b
   WHERE b.workspace = ?1 AND b.id IN (SELECT mailbox_id FROM mailbox_passwords WHERE ${SET_BY}) ORDER BY b.address LIMIT 500`;

const KEEP = `
  UPDATE mailbox_passwords SET user_id = ?3, api_key_id = NULL, assignee_id = NULL
   WHERE mailbox_id IN (SELECT value FROM json_each(?4)) AND ${SET_BY}`;

/** Returns the mailboxes whose password a member has set, at most 500. */
export const listPasswordsOf = ({ db, workspace }: CallerCtx, userId: string): Promise<SetPassword[]> =>
  db.listRows<SetPassword>(LIST, workspace.number, userId);

/** Returns the statement that makes the caller the maker of passwords of mailboxes that a member has set. */
export const keepPasswordsStatement = (ctx: CallerCtx, userId: string, mailboxIds: readonly string[]): MainStatement =>
  ctx.db.prepare(KEEP).bind(ctx.workspace.number, userId, ctx.actor.userId, JSON.stringify(mailboxIds));

/** Throws 403 unless the caller may keep passwords of a member whose rights end: an owner in a session. */
export function requireMayKeep({ kind, role }: Actor, keep: readonly string[]): void {
  if (keep.length > 0 && !(kind === "session" && role === "owner"))
    throw forbidden("Only an owner keeps passwords that a former member has set");
}

/** Returns what the audit entry of the change says about kept passwords: the ids of their mailboxes. */
export const keptDetail = (keep: readonly string[]) => (keep.length === 0 ? {} : { passwords_kept: keep });
