import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppContext } from "./env.ts";

/**
 * The cookie of a visitor who is at an identity provider. It is SameSite=Lax: browsers send it with the redirect back, unlike
 * the Strict session cookies (docs/contract/sign-in.md#ways-to-sign-in).
 */
const nameOf = (c: AppContext) =>
  c.get("ctx").settings.publicUrl.startsWith("https:") ? "__Host-provider" : "provider";

export const readProviderState = (c: AppContext) => getCookie(c, nameOf(c));

export function setProviderState(c: AppContext, sealed: string, ttlMs: number): void {
  setCookie(c, nameOf(c), sealed, { httpOnly: true, secure: true, sameSite: "Lax", path: "/", maxAge: ttlMs / 1000 });
}

export function deleteProviderState(c: AppContext): void {
  deleteCookie(c, nameOf(c), { path: "/", secure: true });
}
