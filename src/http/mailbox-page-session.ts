import { authenticateMailboxCaller } from "../access/mailbox-sessions/caller.ts";
import { refreshMailboxSession } from "../access/mailbox-sessions/sessions.ts";
import { deleteCookies, readCookie, setSessionCookies } from "./cookies.ts";
import type { Middleware } from "./env.ts";
import { declaring } from "./needs.ts";
import { respondRefresh } from "./page.tsx";
import { rightOf } from "./page-routes.ts";
import { nullIfUnauthorized, pageSession } from "./page-session.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { respondSessionEnded } from "./session-ended.tsx";
import { setCaller } from "./set-caller.ts";

/**
 * Authenticates a page of webmail by its mailbox cookie, as `pageSession` does for the dashboard: refreshes an expired
 * access token, and sends a visitor without a session to the sign-in page of webmail.
 */
const mailboxPageSession: Middleware = async (c, next) => {
  requireSameOrigin(c);
  const ctx = c.get("ctx");
  let access = readCookie(c, "mailbox");
  const refresh = readCookie(c, "mailbox_refresh");
  const { pathname, search } = new URL(c.req.url);
  if (access === undefined && refresh === undefined && c.req.header("Sec-Fetch-Site") === "cross-site")
    return respondRefresh(c, pathname + search);
  let caller = access === undefined ? null : await authenticateMailboxCaller(ctx, access).catch(nullIfUnauthorized);
  if (!caller && refresh !== undefined) {
    const tokens = await refreshMailboxSession(ctx, refresh).catch(nullIfUnauthorized);
    if (tokens) {
      setSessionCookies(c, tokens);
      access = tokens.accessToken;
      caller = await authenticateMailboxCaller(ctx, access).catch(nullIfUnauthorized);
    }
  }
  if (!caller) {
    deleteCookies(c, "mailbox", "mailbox_refresh");
    return c.req.method === "POST" ? respondSessionEnded(c, "/mail/sign-in") : c.redirect("/mail/sign-in", 303);
  }
  setCaller(c, ctx, caller, (atStart) => authenticateMailboxCaller(atStart, access ?? ""));
  return next();
};

/**
 * Returns the middlewares of a page of webmail that does what an API route does, by method and mounted path. A mailbox is
 * opened with its own session, or with that of a user of the dashboard; the cookie of a mailbox comes first.
 */
export function webmailFor(route: string): [Middleware, Middleware] {
  return [
    declaring({ scope: "page", outliving: null }, (c, next) => {
      const ofMailbox = readCookie(c, "mailbox") ?? readCookie(c, "mailbox_refresh");
      const ofUser = readCookie(c, "session") ?? readCookie(c, "refresh");
      return ofMailbox === undefined && ofUser !== undefined ? pageSession(c, next) : mailboxPageSession(c, next);
    }),
    rightOf(route),
  ];
}
