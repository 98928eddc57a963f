import type { Ctx } from "../../platform/context.ts";
import type { SessionActor } from "../caller.ts";
import { signAccessToken } from "./access-token.ts";

const FIND = `
  SELECT w.id FROM sessions s JOIN workspaces w ON w.number = s.workspace AND w.deleted_at IS NULL WHERE s.id = ?1`;

/** Returns an access token for the workspace that a session is active in now, after its last one was deleted. Null for an ended session. */
export async function activeAccessToken(
  ctx: Ctx,
  { credentialId: sid, userId: sub }: SessionActor,
): Promise<{ token: string; expiresAt: number } | null> {
  const wid = await ctx.db.findValue<string>(FIND, sid);
  return wid === null ? null : signAccessToken(ctx, "session", { sub, sid, wid });
}
