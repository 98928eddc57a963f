/** Lifetime of a refresh token, in ms. */
export const REFRESH_TOKEN_TTL_MS = 30 * 24 * 3_600_000;

/**
 * How long a used refresh token still returns its successor, in ms: for parallel tabs and lost responses
 * (docs/contract/sign-in.md#refresh-tokens).
 */
export const GRACE_MS = 30_000;

/** What the use of a stored refresh token means. Times in ms since 1970. */
export type Use = "expired" | "first" | "repeated" | "reused";

/** Returns what it means to use a refresh token at `now`. `isFirst`: this call marked it as used. Pure. */
export function classifyUse(token: { usedAt: number | null; expiresAt: number }, isFirst: boolean, now: number): Use {
  if (isFirst) return "first";
  if (token.usedAt === null) return "expired";
  return token.usedAt > now - GRACE_MS ? "repeated" : "reused";
}
