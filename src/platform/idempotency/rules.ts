/** How long a response is stored under its Idempotency-Key. */
export const RESPONSE_TTL_MS = 24 * 3_600_000;

/** Returns the number of days since 1970, in UTC. */
export function dayOf(now: number): number {
  return Math.floor(now / 86_400_000);
}
