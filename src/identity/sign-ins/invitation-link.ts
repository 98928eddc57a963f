import type { Address } from "../../lib/addresses.ts";
import { keyedHashes, randomToken } from "../../lib/secret-box.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { INVITATION_PURPOSE } from "./rules.ts";

/** SQL: an invitation `i` to a workspace `w`, which is valid as long as its sender `m` could send it. */
export const VALID_INVITATION = `
    invitations i
    JOIN workspaces w ON w.number = i.workspace AND w.deleted_at IS NULL
    JOIN memberships m ON m.workspace = i.workspace AND m.user_id = i.invited_by
     AND (m.role = 'owner' OR (m.role = 'admin' AND i.role <> 'owner'))`;

const FIND = `
  SELECT i.id FROM ${VALID_INVITATION}
   WHERE i.email_key = ?1 AND i.expires_at > ?2 ORDER BY i.expires_at DESC LIMIT 1`;

/** Returns the path of a link to the newest invitation of an address, and the statement that makes it replace the earlier one, or null. */
export async function newInvitationLink(
  ctx: Ctx,
  address: Address,
): Promise<{ path: string; statement: MainStatement } | null> {
  const id = await ctx.db.findValue<string>(FIND, address.key, ctx.now());
  if (id === null) return null;
  const token = randomToken();
  const [hash] = await keyedHashes(ctx.settings.masterKeys, INVITATION_PURPOSE, token);
  const statement = ctx.db.prepare("UPDATE invitations SET hash = ?2 WHERE id = ?1").bind(id, hash);
  return { path: `/invitations/${token}`, statement };
}
