/** How long an answer is kept under its Idempotency-Key (decisions 1). */
export const KEPT_MS = 24 * 3_600_000;

/** Days since 1970, in UTC. */
export function dayOf(now: number): number {
  return Math.floor(now / 86_400_000);
}
