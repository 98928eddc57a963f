import { authenticateSession, invalidSession } from "../access/sessions/authenticate.ts";
import type { Ctx } from "../platform/context.ts";
import { readCookie } from "./cookies.ts";
import type { AppContext } from "./env.ts";
import { requireSameOrigin } from "./same-origin.ts";

/** Returns whether a request is authenticated by a session cookie. An Authorization header takes precedence over it. */
export const hasSession = (c: AppContext): boolean =>
  c.req.header("Authorization") === undefined && readCookie(c, "session") !== undefined;

/** Returns the caller by its session cookie. Throws 401 for an invalid or ended session, 403 for a change that another site may send. */
export async function authenticateCookie(c: AppContext, ctx: Ctx) {
  const token = readCookie(c, "session");
  if (token === undefined) throw invalidSession();
  requireSameOrigin(c);
  return { ...(await authenticateSession(ctx, token)), results: [] };
}
