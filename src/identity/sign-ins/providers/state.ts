import { toBase64Url, utf8 } from "../../../lib/bytes.ts";
import { open, randomToken, seal } from "../../../lib/secret-box.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Provider } from "../linked-accounts/index.ts";

/** How long a visitor may take at an identity provider, in ms. */
export const STATE_TTL_MS = 10 * 60_000;
const PURPOSE = "provider-state";

/** The values that a sign-in at a provider must return with. An encrypted cookie keeps them. */
export interface ProviderState {
  /** Parameter `state` (RFC 6749 10.12). */
  state: string;
  /** Claim `nonce` of the ID token (OpenID Connect Core 3.1.2.1). */
  nonce: string;
  /** PKCE verifier (RFC 7636 4.1). */
  verifier: string;
  next: string;
  expiresAt: number;
}

/** Returns the state of a new sign-in at a provider, and its encrypted form. */
export async function newState(
  ctx: Ctx,
  provider: Provider,
  next: string,
): Promise<ProviderState & { sealed: string }> {
  const expiresAt = ctx.now() + STATE_TTL_MS;
  const state = { state: randomToken(), nonce: randomToken(), verifier: randomToken(), next, expiresAt };
  return { ...state, sealed: await seal(ctx.settings.masterKeys, PURPOSE, provider, utf8(JSON.stringify(state))) };
}

/** Returns the state of a sign-in that comes back from a provider. Null when it is missing, expired or another one. */
export async function openState(
  ctx: Ctx,
  provider: Provider,
  sealed: string | undefined,
  parameter: string | undefined,
): Promise<ProviderState | null> {
  if (!sealed || !parameter) return null;
  const bytes = await open(ctx.settings.masterKeys, PURPOSE, provider, sealed).catch(() => null);
  if (!bytes) return null;
  const state = JSON.parse(new TextDecoder().decode(bytes)) as ProviderState;
  return state.state === parameter && state.expiresAt > ctx.now() ? state : null;
}

/** Returns the PKCE challenge of a verifier (RFC 7636 4.2, S256). */
export const challengeOf = async (verifier: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(verifier))));
