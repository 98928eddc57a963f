import type { MainStatement } from "../../platform/context.ts";
import { expectChanges } from "../../platform/db/batch.ts";
import type { CallerCtx } from "../caller.ts";
import { hashPassword, isPassword } from "./password.ts";

const FIND_HASH = "SELECT hash FROM mailbox_passwords WHERE mailbox_id = ?1";

// The mailbox itself becomes the maker: the password ends with no other person's right.
const REPLACE = `
  UPDATE mailbox_passwords SET hash = ?2, changed_at = ?3, api_key_id = NULL, assignee_id = NULL, user_id = NULL
   WHERE mailbox_id = ?1 AND hash = ?4`;

const END_TOKENS = `
  DELETE FROM refresh_tokens WHERE family IN (SELECT id FROM mailbox_sessions WHERE mailbox_id = ?1 AND id <> ?2)`;
const END_SESSIONS = "DELETE FROM mailbox_sessions WHERE mailbox_id = ?1 AND id <> ?2";

/** Returns the hash of the password of a mailbox. Null: the given password is wrong. */
export async function findCurrentHash(ctx: CallerCtx, mailboxId: string, current: string): Promise<string | null> {
  const row = await ctx.db.findRow<{ hash: string }>(FIND_HASH, mailboxId);
  return (await isPassword(current, row?.hash ?? null)) && row ? row.hash : null;
}

/**
 * Returns the statements that change the password of a mailbox and end its other sessions, for a guarded batch: it fails when
 * the password was changed meanwhile. Null: the current password is wrong.
 */
export async function changePasswordStatements(
  ctx: CallerCtx,
  mailboxId: string,
  { current, password, sessionId }: { current: string; password: string; sessionId: string },
): Promise<MainStatement[] | null> {
  const hash = await findCurrentHash(ctx, mailboxId, current);
  if (hash === null) return null;
  return [
    ctx.db.prepare(REPLACE).bind(mailboxId, await hashPassword(password), ctx.now(), hash),
    expectChanges(ctx.db, 1),
    ctx.db.prepare(END_TOKENS).bind(mailboxId, sessionId),
    ctx.db.prepare(END_SESSIONS).bind(mailboxId, sessionId),
  ];
}
