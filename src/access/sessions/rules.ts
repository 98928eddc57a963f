/** Lifetime of an access token, in ms. */
export const ACCESS_TOKEN_TTL_MS = 3_600_000;

/** Longest `User-Agent` that a session stores, in characters. */
export const MAX_USER_AGENT = 250;

/** Time for which a proof of identity counts, in ms. */
export const REAUTHENTICATION_TTL_MS = 5 * 60_000;
