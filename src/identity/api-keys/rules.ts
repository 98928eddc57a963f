import { parseIso } from "../../lib/time.ts";

/** Limits of API keys. */
export const limits = {
  nameCharacters: 100,
  domains: 50,
  scopes: 100,
  lifeYears: 10,
} as const;

/** How long a rotated key stays valid, in ms, so that its users can switch to the new one. */
export const GRACE_MS = 24 * 3_600_000;

/** Returns why an `expires_at` is invalid, or null. `now` in ms since 1970. */
export function expiryIssue(text: string, now: number): string | null {
  const at = parseIso(text);
  if (at === null) return "expires_at is not an ISO 8601 date and time with an offset";
  if (at <= now) return "expires_at is in the past";
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + limits.lifeYears);
  return at > latest.getTime() ? `expires_at is more than ${limits.lifeYears} years ahead` : null;
}
