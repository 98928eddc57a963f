import type { MiddlewareHandler } from "hono";
import { AppError } from "../errors.ts";
import { authenticateMailbox, refreshMailboxSession } from "../mailbox-sessions/index.ts";
import type { AppEnv } from "./env.ts";
import { deleteMailboxCookies, readMailboxCookie, setMailboxCookies } from "./mailbox-cookies.ts";
import { respondRefresh } from "./page.tsx";
import { requireSameOrigin } from "./same-origin.ts";

/**
 * Authenticates a page of webmail by its mailbox cookie, as `pageSession` does for the dashboard: refreshes an expired
 * access token, and sends a visitor without a session to the sign-in page of webmail.
 */
export const mailboxPageSession: MiddlewareHandler<AppEnv> = async (c, next) => {
  requireSameOrigin(c);
  const ctx = c.get("ctx");
  const access = readMailboxCookie(c, "mailbox");
  const refresh = readMailboxCookie(c, "mailbox_refresh");
  const { pathname, search } = new URL(c.req.url);
  if (access === undefined && refresh === undefined && c.req.header("Sec-Fetch-Site") === "cross-site")
    return respondRefresh(c, pathname + search);
  let session = access === undefined ? null : await orNull(authenticateMailbox(ctx, access));
  if (!session && refresh !== undefined) {
    const tokens = await orNull(refreshMailboxSession(ctx, refresh));
    if (tokens) {
      setMailboxCookies(c, tokens);
      session = await orNull(authenticateMailbox(ctx, tokens.access_token));
    }
  }
  if (!session) {
    deleteMailboxCookies(c);
    return c.redirect("/mail/sign-in", 303);
  }
  c.set("mailboxSession", session);
  return next();
};

async function orNull<Result>(result: Promise<Result>): Promise<Result | null> {
  return result.catch((error: unknown) => {
    if (error instanceof AppError && error.status === 401) return null;
    throw error;
  });
}
