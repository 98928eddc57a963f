import { decodeJwt } from "jose";
import * as z from "zod";
import type { Ctx } from "../../../platform/context.ts";
import type { Provider } from "./list.ts";
import type { ProviderState } from "./state.ts";

/** Longest wait for a response of a provider, in ms. */
const TIMEOUT_MS = 10_000;
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

const Tokens = z.object({ access_token: z.string().optional(), id_token: z.string().optional() });
const GoogleClaims = z.object({
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  nonce: z.string(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  name: z.string().optional(),
});
const GitHubUser = z.object({ id: z.int(), name: z.string().nullish() });
const GitHubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Exchanges the code of a provider for the profile of the account. Throws ProviderError. */
export async function fetchProfile(ctx: Ctx, provider: Provider, code: string, state: ProviderState): Promise<Profile> {
  const { clientId, clientSecret, tokenUrl } = ctx.settings[provider];
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uri: redirectUri(ctx, provider),
    code_verifier: state.verifier,
  });
  const tokens = await fetchJson(tokenUrl, { method: "POST", headers: { Accept: "application/json" }, body }, Tokens);
  return provider === "google" ? readGoogle(ctx, tokens.id_token, state) : readGitHub(ctx, tokens.access_token);
}

export const redirectUri = ({ settings }: Ctx, provider: Provider) => `${settings.publicUrl}/auth/${provider}/callback`;

/** Reads the ID token. It comes from the token endpoint over TLS, so its signature need not be checked (OIDC Core 3.1.3.7). */
function readGoogle(ctx: Ctx, idToken: string | undefined, { nonce }: ProviderState): Profile {
  const claims = GoogleClaims.safeParse(decode(idToken ?? ""));
  if (!claims.success) throw new ProviderError("the ID token lacks a claim");
  const { sub, aud, exp, email, email_verified: isVerified, name } = claims.data;
  if (claims.data.nonce !== nonce || ![aud].flat().includes(ctx.settings.google.clientId) || exp * 1000 <= ctx.now())
    throw new ProviderError("the ID token is for another sign-in");
  return { subject: sub, email: isVerified === true ? (email ?? null) : null, name: name ?? null };
}

function decode(token: string): unknown {
  try {
    return decodeJwt(token);
  } catch {
    return null;
  }
}

async function readGitHub(ctx: Ctx, accessToken: string | undefined): Promise<Profile> {
  if (!accessToken) throw new ProviderError("there is no access token");
  const { apiUrl } = ctx.settings.github;
  const request = { headers: { ...GITHUB_HEADERS, Authorization: `Bearer ${accessToken}` } };
  const [user, emails] = await Promise.all([
    fetchJson(`${apiUrl}/user`, request, GitHubUser),
    fetchJson(`${apiUrl}/user/emails`, request, GitHubEmails),
  ]);
  const email = emails.find(({ primary, verified }) => primary && verified)?.email ?? null;
  return { subject: String(user.id), email, name: user.name ?? null };
}

async function fetchJson<Schema extends z.ZodType>(
  url: string,
  request: RequestInit,
  schema: Schema,
): Promise<z.output<Schema>> {
  const options = { ...request, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
  const response = await fetch(url, options).catch((error) => {
    throw new ProviderError(`${new URL(url).host} does not respond: ${error}`);
  });
  if (!response.ok) throw new ProviderError(`${new URL(url).host} responded with ${response.status}`);
  const parsed = schema.safeParse(await response.json().catch(() => null));
  if (!parsed.success) throw new ProviderError(`${new URL(url).host} responded in another form`);
  return parsed.data;
}
