import { authenticatePage } from "../access/sessions/authenticate.ts";
import { refreshSession } from "../access/sessions/refresh.ts";
import { AppError } from "../lib/errors.ts";
import { withJointReads } from "../platform/db/joint-reads.ts";
import { deleteCookies, readCookie, setSessionCookies } from "./cookies.ts";
import { declaring } from "./needs.ts";
import { respondRefresh } from "./page.tsx";
import { requireSameOrigin } from "./same-origin.ts";
import { respondSessionEnded } from "./session-ended.tsx";
import { setCaller } from "./set-caller.ts";

/**
 * Authenticates a page by its session cookie. An expired access token is refreshed (docs/contract/sign-in.md#sessions); without a session
 * the visitor is sent to the sign-in page and back, and a form is kept on a page. A GET from another site carries no Strict cookies, so the
 * response is a page that repeats it from this one.
 */
export const pageSession = declaring({ scope: "page", outliving: null }, async (c, next) => {
  requireSameOrigin(c);
  const ctx = c.get("ctx");
  let access = readCookie(c, "session");
  const refresh = readCookie(c, "refresh");
  const { pathname, search } = new URL(c.req.url);
  if (access === undefined && refresh === undefined && c.req.header("Sec-Fetch-Site") === "cross-site")
    return respondRefresh(c, pathname + search);
  let caller = access === undefined ? null : await authenticatePage(ctx, access).catch(nullIfUnauthorized);
  if (!caller && refresh !== undefined) {
    const tokens = await refreshSession(ctx, refresh);
    if (tokens) {
      setSessionCookies(c, tokens);
      access = tokens.accessToken;
      caller = await authenticatePage(ctx, access).catch(nullIfUnauthorized);
    }
  }
  if (!caller) {
    deleteCookies(c, "session", "refresh");
    if (c.req.method === "POST") return respondSessionEnded(c, "/auth/sign-in");
    return c.redirect(`/auth/sign-in?${new URLSearchParams({ next: pathname + search })}`, 303);
  }
  // A form may read what it has written, so only the reads of pages are joined.
  const reading = c.req.method === "GET" ? withJointReads(ctx) : ctx;
  setCaller(c, reading, caller, (atStart) => authenticatePage(atStart, access ?? ""));
  return next();
});

/** Returns null for a 401, in `catch`. Throws any other error. */
export function nullIfUnauthorized(error: unknown): null {
  if (error instanceof AppError && error.status === 401) return null;
  throw error;
}
