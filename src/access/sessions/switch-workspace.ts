import { notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { CallerCtx, SessionActor } from "../caller.ts";
import { signAccessToken } from "./access-token.ts";

const SWITCH = `
  UPDATE sessions SET workspace = w.number
    FROM workspaces w JOIN memberships m ON m.workspace = w.number
   WHERE sessions.id = ?1 AND w.id = ?2 AND w.deleted_at IS NULL AND m.user_id = sessions.user_id`;

/**
 * Makes another workspace of the user the active one of the session. Returns an access token for it; the refresh token
 * stays. Throws 404 for a workspace that is unknown or that the user does not belong to.
 */
export async function switchWorkspace(
  ctx: CallerCtx & { actor: SessionActor },
  workspaceId: string,
): Promise<{ token: string; expiresAt: number }> {
  const { credentialId: sid, userId: sub } = ctx.actor;
  const wid = requireFound(parseUuid(workspaceId), "Workspace");
  const { meta } = await ctx.db.execute(SWITCH, sid, wid);
  if (meta.changes === 0) throw notFound("Workspace");
  return signAccessToken(ctx, "session", { sub, sid, wid });
}
