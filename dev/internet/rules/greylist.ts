/**
 * Returns whether a pair of sender and recipient is deferred: it came for the first time less than `seconds` ago. Times are in ms;
 * undefined when it comes for the first time now. Pure.
 */
export function isGreylisted(firstSeenAt: number | undefined, seconds: number, now: number): boolean {
  return firstSeenAt === undefined || now < firstSeenAt + seconds * 1_000;
}
