import { type Client, newSession } from "../../../access/sessions/start.ts";
import { addressKey } from "../../../lib/addresses.ts";
import { notFound } from "../../../lib/errors.ts";
import type { Ctx } from "../../../platform/context.ts";

/** The subject of a request that names no administrator. */
export const ANY_ADMIN = "any";

// Reads accounts in the order of their ids until the first administrator, who usually is the first account. For operators only.
const FIND_ADMIN = `
  SELECT u.id AS userId, u.email, w.id AS workspaceId FROM users u
    JOIN memberships m ON m.user_id = u.id JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
   WHERE u.is_platform_admin = 1 AND (?1 IS NULL OR u.email_key = ?1) ORDER BY u.id, w.number LIMIT 1`;

/**
 * Starts a session of the platform administrator with this address, or of the first one for ANY_ADMIN. The caller has proved
 * that it has a master key, which could sign any session, so no second factor is asked for; the audit log has the session.
 * Throws 404 when there is no such administrator, or it is in no workspace.
 */
export async function startOperatorSession(ctx: Ctx, address: string, client: Client) {
  const key = address === ANY_ADMIN ? null : addressKey(address);
  const admin = await ctx.db.findRow<{ userId: string; email: string; workspaceId: string }>(FIND_ADMIN, key);
  if (!admin) throw notFound("Platform administrator");
  const { userId, email, workspaceId } = admin;
  const session = await newSession(ctx, { userId, workspaceId, method: "operator", client });
  await ctx.db.batch(session.statements);
  const { accessToken, accessExpiresAt: expiresAt } = session.tokens;
  return { sessionId: session.sessionId, email, accessToken, expiresAt };
}
