import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { MailboxTokens } from "../access/mailbox-sessions/sessions.ts";
import type { AppContext } from "./env.ts";

/**
 * The cookies of a mailbox session. Only pages below /mail get them, so they are apart from the session of the dashboard
 * (docs/contract/sign-in.md#webmail-login): neither opens what the other one does.
 */
type MailboxCookie = "mailbox" | "mailbox_refresh";

const PATH = "/mail";

const nameOf = (c: AppContext, cookie: MailboxCookie) =>
  c.get("ctx").settings.publicUrl.startsWith("https:") ? `__Secure-${cookie}` : cookie;

export const readMailboxCookie = (c: AppContext, cookie: MailboxCookie) => getCookie(c, nameOf(c, cookie));

/** Sets the cookies of a mailbox session that was started or refreshed. Each one ends with its token. */
export function setMailboxCookies(c: AppContext, tokens: MailboxTokens): void {
  write(c, "mailbox", tokens.access_token, tokens.expiresAt);
  write(c, "mailbox_refresh", tokens.refresh_token, tokens.refreshExpiresAt);
}

export function deleteMailboxCookies(c: AppContext): void {
  for (const cookie of ["mailbox", "mailbox_refresh"] as const)
    deleteCookie(c, nameOf(c, cookie), { path: PATH, secure: true });
}

function write(c: AppContext, cookie: MailboxCookie, value: string, expiresAt: number): void {
  const maxAge = Math.max(0, Math.floor((expiresAt - c.get("ctx").now()) / 1000));
  setCookie(c, nameOf(c, cookie), value, { httpOnly: true, secure: true, sameSite: "Strict", path: PATH, maxAge });
}
