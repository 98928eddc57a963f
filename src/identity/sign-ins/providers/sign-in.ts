import type { Client } from "../../../access/sessions/start.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import type { Ctx } from "../../../platform/context.ts";
import { completeSignIn, type SignIn } from "../complete.ts";
import type { Provider } from "../linked-accounts/index.ts";
import { accountName, returnPath } from "../rules.ts";
import { fetchProfile, redirectUri } from "./profile.ts";
import { challengeOf, newState, type ProviderState } from "./state.ts";

const scopes = { google: "openid email profile", github: "read:user user:email" } as const;

const FIND_LINKED = `
  SELECT u.email FROM identities i JOIN users u ON u.id = i.user_id WHERE i.provider = ?1 AND i.subject = ?2`;

/** Returns the URL of a provider's sign-in page with PKCE, and the state to keep in a cookie (docs/contract/sign-in.md#ways-to-sign-in). */
export async function beginProviderSignIn(
  ctx: Ctx,
  provider: Provider,
  next: string,
): Promise<{ url: string; sealed: string }> {
  const { clientId, authorizeUrl } = ctx.settings[provider];
  const { state, nonce, verifier, sealed } = await newState(ctx, provider, next);
  const url = new URL(authorizeUrl);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri(ctx, provider),
    scope: scopes[provider],
    state,
    nonce,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, sealed };
}

/**
 * Signs in the user of an account at a provider: the one that it is linked to, otherwise the one of its verified address, to which it is
 * linked once the user is signed in. `unverified`: the account is not linked and has no verified address. Throws ProviderError.
 */
export async function completeProviderSignIn(
  ctx: Ctx,
  provider: Provider,
  { code, state, client }: { code: string; state: ProviderState; client: Client },
): Promise<SignIn | { kind: "unverified" }> {
  const profile = await fetchProfile(ctx, provider, code, state);
  const linked = await ctx.db.findValue<string>(FIND_LINKED, provider, profile.subject);
  const address = parseAddress(linked ?? profile.email ?? "");
  if (!address) return { kind: "unverified" };
  return completeSignIn(ctx, {
    address,
    name: accountName(profile.name),
    method: provider,
    client,
    next: returnPath(state.next),
    redeem: [],
    ...(linked === null ? { account: { provider, subject: profile.subject, email: address.address } } : {}),
  });
}
