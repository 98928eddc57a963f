/** Lifetime of an access token, in ms. */
export const ACCESS_TOKEN_TTL_MS = 15 * 60_000;

/** Purpose under which access tokens are hashed (lib/secret-box). */
export const ACCESS_TOKEN_PURPOSE = "oauth-access-token";

/** First characters of an access token: they tell it from an API key, and let scanners find one that leaked. */
export const ACCESS_TOKEN_PREFIX = "svc_a_";

/** Returns whether a string has the format of an access token of a grant. */
export const isAccessToken = (text: string): boolean =>
  text.startsWith(ACCESS_TOKEN_PREFIX) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(ACCESS_TOKEN_PREFIX.length));

/**
 * Returns whether a resource of a token (RFC 8707) is this service: its base URL, `/mcp` or `/v1` below it, each also with a slash
 * at its end. These are one audience (docs/contract/sign-in.md#oauth). A token for another base URL is refused. Pure.
 */
export const isOwnResource = (publicUrl: string, resource: string): boolean =>
  ["", "/mcp", "/v1"].some((path) => resource.replace(/\/$/, "") === `${publicUrl}${path}`);

/** Lifetime of a refresh token, in ms. */
export const REFRESH_TOKEN_TTL_MS = 30 * 24 * 3_600_000;

/** How long a used refresh token returns its successor, for parallel tabs and lost responses (docs/contract/sign-in.md#refresh-tokens). */
export const GRACE_MS = 30_000;

/** The meaning of a use of a stored refresh token. Times in ms since 1970. */
export type Use = "expired" | "first" | "repeated" | "reused";

/** Returns what it means to use a refresh token at `now`. `isFirst`: this call marked it as used. Pure. */
export function classifyUse(token: { usedAt: number | null; expiresAt: number }, isFirst: boolean, now: number): Use {
  if (isFirst) return "first";
  if (token.usedAt === null) return "expired";
  return token.usedAt > now - GRACE_MS ? "repeated" : "reused";
}
