/** Limits of the outbox. Times are in milliseconds. */

/** How long a claim lasts before another run may claim the row. An egress of our own extends it for what it takes. */
export const LEASE_MS = 120_000;
/** No email starts with less than this left of the lease, so that a failed renewal can be retried. */
const START_MARGIN_MS = 75_000;
/** The lease is renewed when less than this is left; a renewal at every flush would write each row many times. */
const RENEW_BELOW_MS = 100_000;
/** From this claim on, a row of several emails is split into one row per email. */
export const SPLIT_AT_CLAIM = 3;
/** An email fails after this many claims without a written outcome. */
export const MAX_CLAIMS = 8;
/** Rows of one claim. */
export const CLAIM_ROWS = 100;
/**
 * Emails of one claim; a row of more is claimed alone. A row of a batch has up to 100. Each email has up to 50 recipients
 * and 16 KiB of content, about 75 KB parsed, so a claim takes at most about 25 MB of the isolate's 128 MB.
 */
export const CLAIM_EMAILS = 300;
/** Emails of one outbox row at most, except a row of an interrupted run that was not yet split. */
export const ROW_EMAILS = 100;
/** Rows for which one sweep sends queue messages. */
export const SWEEP_ROWS = 10_000;
/** Runs that deliver broadcasts side by side; each claims row after row. */
export const LOW_PRIORITY_RUNS = 4;
/** Rows due for longer than a sweep's period are processed by cron itself, so that mail leaves also when messages are lost. */
export const OVERDUE_MS = 60_000;
/** The sweep also sends delayed messages for rows due before the next sweep. */
export const SWEEP_AHEAD_MS = 60_000;

/** Returns whether an email may start under a lease that ends at `leaseEnd`. */
export const mayStart = (leaseEnd: number, now: number): boolean => leaseEnd - now >= START_MARGIN_MS;

/** Returns whether a lease that ends at `leaseEnd` should be renewed. */
export const shouldRenew = (leaseEnd: number, now: number): boolean => leaseEnd - now < RENEW_BELOW_MS;
