/** Times of outages of the egress, in milliseconds. Pure. */

/** A probe starts at the earliest this long after the last one: cron runs each minute, and a probe ends before. */
export const PROBE_EVERY_MS = 50_000;
/** A probe starts up to this much later than cron, so that deployments do not knock at a server in the same second. */
export const PROBE_JITTER_MS = 5_000;
/** Time-outs of a probe: TCP and TLS, each reply, and all of it. */
export const PROBE_TIMEOUTS = { connectMs: 8_000, replyMs: 8_000, quitMs: 1_000 } as const;
export const PROBE_MS = 25_000;
/** A success counts for this long: two probes later the next one is overdue. */
const RESPONDED_MS = 150_000;
/** An outage without a probe for this long is over: nothing waits any more. */
export const NOTHING_WAITS_MS = 180_000;
/** Owners are notified of an outage that has lasted this long (docs/contract/delivery.md#outages). */
export const NOTICE_AFTER_MS = 600_000;
/** An email may have begun to wait this long before the probe that noticed the outage. */
export const NOTICED_WITHIN_MS = 120_000;
/** How long an outage that has ended is kept for its notices. */
export const KEEP_MS = 2 * 24 * 3_600_000;
/** Workspaces whose owners are notified at once, and steps of as many in one minute and mail database. */
export const NOTICE_WORKSPACES = 200;
export const NOTICE_STEPS = 5;

/** An outage of the egress. Times are in milliseconds since 1970; `endedAt` is null while it lasts. */
export interface Outage {
  id: string;
  beganAt: number;
  endedAt: number | null;
}

/** Returns whether the egress has responded of late, so that waiting emails are about to leave. */
export function hasResponded(respondedAt: number | null, now: number): boolean {
  return respondedAt !== null && now - respondedAt <= RESPONDED_MS;
}
