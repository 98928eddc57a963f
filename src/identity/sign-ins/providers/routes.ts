import { deleteCookies, readCookie, writeCookie } from "../../../http/cookies.ts";
import { type AppContext, clientOf, newRoutes } from "../../../http/env.ts";
import { needs } from "../../../http/needs.ts";
import { respondPage } from "../../../http/page.tsx";
import { AppError } from "../../../lib/errors.ts";
import { type Provider, providerNames } from "../linked-accounts/index.ts";
import { signInPage } from "../pages.tsx";
import { respondSignIn } from "../respond.ts";
import { returnPath } from "../rules.ts";
import {
  beginProviderSignIn,
  completeProviderSignIn,
  enabledProviders,
  openState,
  ProviderError,
  STATE_TTL_MS,
} from "./index.ts";

const CANCELLED = "The sign-in was cancelled, or it took too long. Try again.";

const unverified = (provider: Provider) =>
  `Your account at ${providerNames[provider]} has no verified email address. Verify your address there, or sign in by a link by email.`;

function requireEnabled(c: AppContext, provider: Provider): void {
  if (!enabledProviders(c.get("ctx").settings).includes(provider)) throw new AppError(404, "Not found");
}

/** Sends the visitor to the provider. */
const begin = (provider: Provider) => async (c: AppContext) => {
  requireEnabled(c, provider);
  const { url, sealed } = await beginProviderSignIn(c.get("ctx"), provider, returnPath(c.req.query("next")));
  writeCookie(c, "provider", sealed, STATE_TTL_MS / 1000);
  return c.redirect(url, 303);
};

/** Signs in the visitor who comes back from the provider. */
const finish = (provider: Provider) => async (c: AppContext) => {
  requireEnabled(c, provider);
  const ctx = c.get("ctx");
  const state = await openState(ctx, provider, readCookie(c, "provider"), c.req.query("state"));
  deleteCookies(c, "provider");
  const code = c.req.query("code");
  if (!state || !code) return showProblem(c, CANCELLED, 400);
  try {
    const signIn = await completeProviderSignIn(ctx, provider, { code, state, client: clientOf(c) });
    return signIn.kind === "unverified" ? showProblem(c, unverified(provider), 403) : respondSignIn(c, signIn, true);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log("provider.failed", { provider, error: error.message });
    return showProblem(c, "The sign-in did not work. Try again, or use another way.", 502);
  }
};

const showProblem = (c: AppContext, error: string, status: 400 | 403 | 502) =>
  respondPage(c, signInPage({ next: "/app", providers: enabledProviders(c.get("ctx").settings), error }), { status });

/** Signing in by an account at Google or GitHub (docs/contract/sign-in.md#ways-to-sign-in). */
export const providerRoutes = newRoutes()
  .get("/auth/google", needs("public"), begin("google"))
  .get("/auth/google/callback", needs("public"), finish("google"))
  .get("/auth/github", needs("public"), begin("github"))
  .get("/auth/github/callback", needs("public"), finish("github"));
