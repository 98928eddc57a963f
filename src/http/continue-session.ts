import { activeAccessToken } from "../access/sessions/active-access-token.ts";
import { deleteCookies, setTokenCookie } from "./cookies.ts";
import type { AppContext } from "./env.ts";

/**
 * Gives the browser of a session the access token of the workspace that the session went on in when its active one was deleted,
 * and takes the cookies of a session that ended. Returns whether the session goes on. Does nothing for other credentials.
 */
export async function continueSession(c: AppContext): Promise<boolean> {
  const { actor } = c.get("caller");
  if (actor.kind !== "session") return true;
  const access = await activeAccessToken(c.get("ctx"), actor);
  if (access) setTokenCookie(c, "session", access.token, access.expiresAt);
  else deleteCookies(c, "session", "refresh");
  return access !== null;
}
