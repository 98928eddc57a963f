import { setSessionCookies, setTokenCookie } from "../../http/cookies.ts";
import type { AppContext } from "../../http/env.ts";
import { respondPage, respondRefresh } from "../../http/page.tsx";
import type { SignIn } from "./complete.ts";
import { announceLink } from "./linked-accounts/index.ts";
import { invalidSignInPage, refusedPage } from "./pages.tsx";

/** Sets the cookies of a sign-in and returns where it leads to. `isCrossSite`: another site caused the request. */
export function respondSignIn(c: AppContext, signIn: SignIn, isCrossSite = false) {
  if (signIn.kind === "refused") return respondPage(c, refusedPage(), { status: 403 });
  if (signIn.kind === "redeemed-before") return respondPage(c, invalidSignInPage(), { status: 404 });
  if (signIn.kind === "session") {
    setSessionCookies(c, signIn.tokens);
    if (signIn.linked) c.executionCtx.waitUntil(announceLink(c.get("ctx"), signIn.linked, c.get("sendSystemEmail")));
  } else if (signIn.kind === "second-factor") setTokenCookie(c, "second_factor", signIn.token, signIn.expiresAt);
  const path = signIn.kind === "session" ? signIn.next : signIn.kind === "invitation" ? signIn.path : "/auth/totp";
  return isCrossSite ? respondRefresh(c, path) : c.redirect(path, 303);
}
