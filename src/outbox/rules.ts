/** Times of the outbox (design: one work list). Milliseconds. */

/** How long a claim holds a row before somebody else may take it. */
export const LEASE_MS = 120_000;
/** No mail is started with less than this left of the lease, so that a renewal has time to fail and be tried again. */
export const START_MARGIN_MS = 75_000;
/** A run that finds less than this left renews the lease; renewing at every flush would write each row many times. */
export const RENEW_BELOW_MS = 100_000;
/** From this claim on, a row of many mails is taken apart, one row a mail. */
export const SPLIT_AT_CLAIM = 3;
/** A mail whose run died this often is given up. */
export const MAX_CLAIMS = 8;
/** Rows one claim takes. */
export const CLAIM_ROWS = 100;
/** Rows one sweep wakes. */
export const SWEEP_ROWS = 10_000;
/** The sweep also wakes what falls due before the next one. */
export const SWEEP_AHEAD_MS = 60_000;

/** Whether a mail may still be started under a lease that ends at `leaseEnd`. */
export function mayStart(leaseEnd: number, now: number): boolean {
  return leaseEnd - now >= START_MARGIN_MS;
}

/** Whether a flush should renew the lease. */
export function shouldRenew(leaseEnd: number, now: number): boolean {
  return leaseEnd - now < RENEW_BELOW_MS;
}
