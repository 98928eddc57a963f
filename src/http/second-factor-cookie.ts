import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppContext } from "./env.ts";

/** The cookie of a sign-in that waits for its second factor. Only /auth gets it. */
const NAME = "second_factor";
const OPTIONS = { path: "/auth", httpOnly: true, secure: true, sameSite: "Strict" } as const;

export const readSecondFactor = (c: AppContext) => getCookie(c, NAME);

/** `expiresAt` in ms since 1970. */
export function setSecondFactor(c: AppContext, { token, expiresAt }: { token: string; expiresAt: number }): void {
  setCookie(c, NAME, token, { ...OPTIONS, maxAge: Math.floor((expiresAt - c.get("ctx").now()) / 1000) });
}

export function deleteSecondFactor(c: AppContext): void {
  deleteCookie(c, NAME, { path: OPTIONS.path, secure: true });
}
