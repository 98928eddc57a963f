/** Seconds for which resolvers may cache a record of a zone: short beside the days for which a key is published unused. */
export const TTL_SECONDS = 3_600;
/** Records of a zone that are left for shared records, and for what several registrations at once add. */
export const RESERVED_RECORDS = 15;
/** Records of a zone that a delegated domain has: two keys and its DMARC policy. */
export const RECORDS_PER_DOMAIN = 3;
/** A zone that was full gets no new domain for this time, in ms. */
export const FULL_ZONE_MS = 24 * 3_600_000;
/** How long the records of a deleted domain stay, in ms: retries and mailing lists deliver mail that it has signed. */
export const REMOVAL_MS = 14 * 24 * 3_600_000;
/** Until when a run must be done with the records that it has claimed, in ms: four calls of the API and one of DNS take 37 s. */
export const CLAIM_MS = 120_000;
/** Waits after failures in a row, in ms. The last one repeats. */
const RETRY_MS = [10_000, 30_000, 60_000, 5 * 60_000, 15 * 60_000, 3_600_000];

/** Returns the wait after a number of failures in a row. Pure. */
export const retryDelay = (attempts: number): number => RETRY_MS[Math.min(attempts, RETRY_MS.length - 1)] ?? 3_600_000;
