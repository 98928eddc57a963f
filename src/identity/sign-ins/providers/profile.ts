import * as oauth from "oauth4webapi";
import * as z from "zod";
import type { Ctx } from "../../../platform/context.ts";
import type { Provider } from "../linked-accounts/index.ts";
import type { ProviderState } from "./state.ts";

/** Longest wait for a response of a provider, in ms. */
const TIMEOUT_MS = 10_000;
const ISSUERS = { google: "https://accounts.google.com", github: "https://github.com" } as const;
const GITHUB_HEADERS = { Accept: "application/vnd.github+json", "User-Agent": "email-delivery-service" };

/** An account at a provider. */
export interface Profile {
  /** The provider's id of the account, which never changes. */
  subject: string;
  /** A verified address; null when the account has none. */
  email: string | null;
  name: string | null;
}

/** Signals that a provider refused, or responded with something else than it should. */
export class ProviderError extends Error {}

/** The claims of Google's ID token that are used. The others are checked by oauth4webapi. */
const GoogleClaims = z.object({
  sub: z.string(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  name: z.string().optional(),
});
const GitHubUser = z.object({ id: z.int(), name: z.string().nullish() });
const GitHubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Exchanges the code of a provider for the profile of the account. Throws ProviderError. */
export async function fetchProfile(ctx: Ctx, provider: Provider, code: string, state: ProviderState): Promise<Profile> {
  const tokens = await fetchTokens(ctx, provider, code, state).catch((error: Error) => {
    throw new ProviderError(`the token response of ${provider} is not valid: ${error.message}`);
  });
  return provider === "google" ? readGoogle(tokens) : readGitHub(ctx, tokens.access_token);
}

export const redirectUri = ({ settings }: Ctx, provider: Provider) => `${settings.publicUrl}/auth/${provider}/callback`;

/**
 * Fetches and checks the tokens of a code. An ID token must have this issuer, client and nonce, and must not have expired. It
 * comes from the token endpoint over TLS, so its signature need not be checked (OIDC Core 3.1.3.7).
 */
async function fetchTokens(
  ctx: Ctx,
  provider: Provider,
  code: string,
  { state, verifier, nonce }: ProviderState,
): Promise<oauth.TokenEndpointResponse> {
  const { clientId, clientSecret, tokenUrl } = ctx.settings[provider];
  const server = { issuer: ISSUERS[provider], token_endpoint: tokenUrl };
  const client = { client_id: clientId, [oauth.clockSkew]: Math.round((ctx.now() - Date.now()) / 1000) };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(clientSecret),
    oauth.validateAuthResponse(server, client, new URLSearchParams({ code, state }), state),
    redirectUri(ctx, provider),
    verifier,
    // Only a deployment that names such an address itself has one without TLS.
    { signal: AbortSignal.timeout(TIMEOUT_MS), [oauth.allowInsecureRequests]: tokenUrl.startsWith("http:") },
  );
  const expected = provider === "google" ? { expectedNonce: nonce, requireIdToken: true } : {};
  return oauth.processAuthorizationCodeResponse(server, client, response, expected);
}

function readGoogle(tokens: oauth.TokenEndpointResponse): Profile {
  const claims = GoogleClaims.safeParse(oauth.getValidatedIdTokenClaims(tokens));
  if (!claims.success) throw new ProviderError("the ID token has a claim of another form");
  const { sub, email, email_verified: isVerified, name } = claims.data;
  return { subject: sub, email: isVerified === true ? (email ?? null) : null, name: name ?? null };
}

async function readGitHub(ctx: Ctx, accessToken: string): Promise<Profile> {
  const { apiUrl } = ctx.settings.github;
  const request = { headers: { ...GITHUB_HEADERS, Authorization: `Bearer ${accessToken}` } };
  const [user, emails] = await Promise.all([
    fetchJson(`${apiUrl}/user`, request, GitHubUser),
    fetchJson(`${apiUrl}/user/emails`, request, GitHubEmails),
  ]);
  const email = emails.find(({ primary, verified }) => primary && verified)?.email ?? null;
  return { subject: String(user.id), email, name: user.name ?? null };
}

async function fetchJson<Schema extends z.ZodType>(url: string, request: RequestInit, schema: Schema) {
  const options = { ...request, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
  const response = await fetch(url, options).catch((error) => {
    throw new ProviderError(`${new URL(url).host} does not respond: ${error}`);
  });
  if (!response.ok) throw new ProviderError(`${new URL(url).host} responded with ${response.status}`);
  const parsed = schema.safeParse(await response.json().catch(() => null));
  if (!parsed.success) throw new ProviderError(`${new URL(url).host} responded in another form`);
  return parsed.data;
}
