import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { getUser, type UserRow } from "./queries.ts";

const RESTRICT = "UPDATE users SET restricted_at = ?2 WHERE id = ?1 AND restricted_at IS NULL";
const UNRESTRICT = "UPDATE users SET restricted_at = NULL WHERE id = ?1 AND restricted_at IS NOT NULL";

/**
 * Restricts an account, or ends the restriction. Every call of the user that sends returns 403 from the next request on, and
 * the user's queued emails become `failed` at dispatch (docs/contract/workspaces.md#restriction-and-pause). A repeated call
 * changes nothing. Throws 404, and 409 for the caller's own account.
 */
export async function restrictUser(ctx: CallerCtx, id: string, isRestricted: boolean): Promise<UserRow> {
  const { id: target, email } = await getUser(ctx, id);
  if (isRestricted && target === ctx.actor.userId) throw conflict("You cannot restrict your own account");
  const statement = isRestricted
    ? ctx.db.prepare(RESTRICT).bind(target, ctx.now())
    : ctx.db.prepare(UNRESTRICT).bind(target);
  const action = isRestricted ? "user.restricted" : "user.unrestricted";
  await ctx.db.batch([
    statement,
    auditIfChangedStatement({ ...ctx, workspace: null }, { action, target, detail: { email } }),
  ]);
  return getUser(ctx, target);
}
