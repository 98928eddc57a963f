import { activeAccessToken } from "../access/sessions/active-access-token.ts";
import { deleteCookies, setTokenCookie } from "./cookies.ts";
import type { AppContext } from "./env.ts";

/** Moves a session's cookies to its next workspace after the active one was deleted. Returns false, without cookies, when it has ended. */
export async function continueSession(c: AppContext): Promise<boolean> {
  const { actor } = c.get("caller");
  if (actor.kind !== "session") return true;
  const access = await activeAccessToken(c.get("ctx"), actor);
  if (access) setTokenCookie(c, "session", access.token, access.expiresAt);
  else deleteCookies(c, "session", "refresh");
  return access !== null;
}
