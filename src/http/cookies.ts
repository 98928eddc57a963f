import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { MailboxTokens } from "../access/mailbox-sessions/sessions.ts";
import type { SessionTokens } from "../access/sessions/start.ts";
import type { AppContext } from "./env.ts";

const COOKIES = {
  // A session: its access token, and the refresh token that pages and POST /auth/refresh use.
  session: { prefix: "__Host-", path: "/", sameSite: "Strict" },
  refresh: { prefix: "__Host-", path: "/", sameSite: "Strict" },
  // A mailbox session. Only pages below /mail get them, so they are apart from the session of the dashboard
  // (docs/contract/sign-in.md#webmail-login): neither opens what the other one does.
  mailbox: { prefix: "__Secure-", path: "/mail", sameSite: "Strict" },
  mailbox_refresh: { prefix: "__Secure-", path: "/mail", sameSite: "Strict" },
  // A visitor who is at an identity provider: browsers send it with the redirect back, unlike the Strict session cookies
  // (docs/contract/sign-in.md#ways-to-sign-in).
  provider: { prefix: "__Host-", path: "/", sameSite: "Lax" },
  // A sign-in that waits for its second factor. Only /auth gets it.
  second_factor: { prefix: "", path: "/auth", sameSite: "Strict" },
} as const;

type Cookie = keyof typeof COOKIES;

/**
 * Returns the name of a cookie. With `__Host-`, browsers accept it from this host over TLS only (RFC 6265bis 4.1.3.2);
 * Chromium refuses the prefix on http://127.0.0.1.
 */
const nameOf = (c: AppContext, cookie: Cookie) =>
  c.get("ctx").settings.publicUrl.startsWith("https:") ? COOKIES[cookie].prefix + cookie : cookie;

export const readCookie = (c: AppContext, cookie: Cookie) => getCookie(c, nameOf(c, cookie));

/** Sets a cookie for `maxAge` seconds. */
export function writeCookie(c: AppContext, cookie: Cookie, value: string, maxAge: number): void {
  const { path, sameSite } = COOKIES[cookie];
  setCookie(c, nameOf(c, cookie), value, { httpOnly: true, secure: true, sameSite, path, maxAge });
}

/** Sets the cookie of a token, which ends with it. `expiresAt` in ms since 1970. */
export function setTokenCookie(c: AppContext, cookie: Cookie, token: string, expiresAt: number): void {
  writeCookie(c, cookie, token, Math.max(0, Math.floor((expiresAt - c.get("ctx").now()) / 1000)));
}

/** Sets the cookies of a session, or of that of a mailbox, that was started or refreshed. */
export function setSessionCookies(c: AppContext, tokens: SessionTokens | MailboxTokens): void {
  const isOfMailbox = "mailboxId" in tokens;
  setTokenCookie(c, isOfMailbox ? "mailbox" : "session", tokens.accessToken, tokens.accessExpiresAt);
  setTokenCookie(c, isOfMailbox ? "mailbox_refresh" : "refresh", tokens.refreshToken, tokens.refreshExpiresAt);
}

export function deleteCookies(c: AppContext, ...cookies: Cookie[]): void {
  for (const cookie of cookies) deleteCookie(c, nameOf(c, cookie), { path: COOKIES[cookie].path, secure: true });
}
