import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppEnv } from "./env.ts";

/** The cookie of a sign-in that waits for its second factor. Only /auth gets it. */
const NAME = "second_factor";
const OPTIONS = { path: "/auth", httpOnly: true, secure: true, sameSite: "Strict" } as const;

export const readSecondFactor = (c: Context<AppEnv>) => getCookie(c, NAME);

/** `expiresAt` in ms since 1970. */
export function setSecondFactor(c: Context<AppEnv>, { token, expiresAt }: { token: string; expiresAt: number }): void {
  setCookie(c, NAME, token, { ...OPTIONS, maxAge: Math.floor((expiresAt - c.get("ctx").now()) / 1000) });
}

export function deleteSecondFactor(c: Context<AppEnv>): void {
  deleteCookie(c, NAME, { path: OPTIONS.path, secure: true });
}
