import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { SessionTokens } from "../access/sessions/start.ts";
import type { AppContext } from "./env.ts";

/** The cookies of a session: the access token, and the refresh token that pages and POST /auth/refresh use. */
type SessionCookie = "session" | "refresh";

/**
 * Returns the name of a cookie. With `__Host-`, browsers accept it from this host over TLS only (RFC 6265bis 4.1.3.2);
 * Chromium refuses the prefix on http://127.0.0.1.
 */
function nameOf(c: AppContext, cookie: SessionCookie): string {
  return c.get("ctx").settings.publicUrl.startsWith("https:") ? `__Host-${cookie}` : cookie;
}

export const readSessionCookie = (c: AppContext, cookie: SessionCookie) => getCookie(c, nameOf(c, cookie));

/** Sets the cookies of a session that was started or refreshed. Each one ends with its token. */
export function setSessionCookies(c: AppContext, tokens: SessionTokens): void {
  setAccessCookie(c, { token: tokens.accessToken, expiresAt: tokens.accessExpiresAt });
  write(c, "refresh", tokens.refreshToken, tokens.refreshExpiresAt);
}

/** Sets the cookie of an access token. `expiresAt` in ms since 1970. */
export function setAccessCookie(c: AppContext, { token, expiresAt }: { token: string; expiresAt: number }): void {
  write(c, "session", token, expiresAt);
}

export function deleteSessionCookies(c: AppContext): void {
  for (const cookie of ["session", "refresh"] as const) deleteCookie(c, nameOf(c, cookie), { path: "/", secure: true });
}

function write(c: AppContext, cookie: SessionCookie, value: string, expiresAt: number): void {
  const maxAge = Math.max(0, Math.floor((expiresAt - c.get("ctx").now()) / 1000));
  setCookie(c, nameOf(c, cookie), value, { httpOnly: true, secure: true, sameSite: "Strict", path: "/", maxAge });
}
