import { UNSHOWABLE } from "../lib/text-rules.ts";
import { parseIso } from "../lib/time.ts";

/** Limits of API keys (decisions 3). */
export const limits = { nameCharacters: 100, domains: 50, scopes: 100, lifeYears: 10 } as const;

/** How long a key that was rotated lives on, so that whoever uses it has time to change. */
export const GRACE_MS = 24 * 3_600_000;

/** Whether a name, as it came, is free of what no list can show: control characters and line breaks. */
export function isShowable(name: string): boolean {
  return !UNSHOWABLE.test(name);
}

/** Whether a trimmed name has 1 to 100 characters. Characters are code points. */
export function isNameLength(name: string): boolean {
  return name !== "" && name.length <= 2 * limits.nameCharacters && Array.from(name).length <= limits.nameCharacters;
}

/** Why an expires_at is refused; null when a key may end then. */
export function expiryFault(text: string, now: number): string | null {
  const at = parseIso(text);
  if (at === null) return "Not an ISO 8601 date and time with an offset";
  if (at <= now) return "A key must expire in the future";
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + limits.lifeYears);
  return at > latest.getTime() ? `A key expires within ${limits.lifeYears} years` : null;
}
