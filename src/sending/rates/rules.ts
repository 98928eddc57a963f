/** Rates of the last hour: when owners are told, and when a workspace stops itself (docs/contract/analytics.md#rate-alerts). Pure. */

import { HOUR_MS } from "../../lib/time.ts";

/** Counts of recipients of a workspace, as analytics counts them. */
export interface RateCounts {
  sent: number;
  /** Hard bounces. */
  bounced: number;
  softBounced: number;
  complained: number;
}

export const NO_RATE_COUNTS: Readonly<RateCounts> = { sent: 0, bounced: 0, softBounced: 0, complained: 0 };

/** Time over which rates are measured, in milliseconds. */
const WINDOW_MS = HOUR_MS;
/** Runs of cron are some seconds early or late: a snapshot counts as an hour old from this much less on, in milliseconds. */
const SNAPSHOT_TOLERANCE_MS = 30_000;
/** Snapshots are kept for two hours, in milliseconds. */
export const SNAPSHOT_KEPT_MS = 2 * HOUR_MS;

/** Recipients of the last hour from which owners are told, since the rates of fewer say little. */
export const LEAST_ALERTED = 50;
/** Rates above which the owners are told. That of bounces is of hard and soft ones together. */
export const ALERTED_BOUNCES = 0.02;
export const ALERTED_COMPLAINTS = 0.001;

/** From which rates a workspace stops itself; 0: it never does. Those above twice as much stop more of its mail. */
export interface PauseLimits {
  /** Hard bounces in percent of what was sent. */
  bouncePercent: number;
  /** Complaints in percent of what was sent. */
  complaintPercent: number;
  /** Recipients of the last hour from which the rates are compared. */
  leastEmails: number;
}

/** Returns how far a workspace with these counts in the last hour stops itself (0: not), as `isPausedSource` takes it. */
export function pauseOf({ sent, bounced, complained }: RateCounts, limits: PauseLimits): 0 | 1 | 2 {
  if (sent < limits.leastEmails || sent === 0) return 0;
  const excess = Math.max(
    ratioOf((100 * bounced) / sent, limits.bouncePercent),
    ratioOf((100 * complained) / sent, limits.complaintPercent),
  );
  return excess > 2 ? 2 : excess > 1 ? 1 : 0;
}

/** Returns how often a limit fits into a rate. Divisions of decimals differ in their last digits. */
const ratioOf = (percent: number, limit: number) => (limit === 0 ? 0 : Math.round((percent / limit) * 1e9) / 1e9);

/** Returns whether `count` of `sent` is more than a rate allows. */
export function isTooHigh(count: number, sent: number, rate: number): boolean {
  return sent >= LEAST_ALERTED && count > sent * rate;
}

/** The time up to which a snapshot is old enough to begin the last hour, in milliseconds since 1970. */
export const baselineUntil = (now: number): number => now - WINDOW_MS + SNAPSHOT_TOLERANCE_MS;

/** Counts of an hour (since 1970), up to some moment in it. */
export interface HourCounts {
  hour: number;
  counts: RateCounts;
}

/**
 * Returns what was counted since a snapshot of this hour or the one before; without one, since the beginning of the hour before.
 * `hours` are the counts of both.
 */
export function countsSince(hours: readonly HourCounts[], hour: number, baseline: HourCounts | null): RateCounts {
  const first = baseline?.hour === hour ? hour : hour - 1;
  const recent = hours.filter((one) => one.hour >= first).map(({ counts }) => counts);
  const before = baseline && baseline.hour >= first ? baseline.counts : NO_RATE_COUNTS;
  const sum = (name: keyof RateCounts) => recent.reduce((total, counts) => total + counts[name], 0) - before[name];
  return {
    sent: Math.max(0, sum("sent")),
    bounced: Math.max(0, sum("bounced")),
    softBounced: Math.max(0, sum("softBounced")),
    complained: Math.max(0, sum("complained")),
  };
}

/** Returns the sum of counts. */
export function sumRates(all: readonly RateCounts[]): RateCounts {
  const sum = (name: keyof RateCounts) => all.reduce((total, counts) => total + counts[name], 0);
  return {
    sent: sum("sent"),
    bounced: sum("bounced"),
    softBounced: sum("softBounced"),
    complained: sum("complained"),
  };
}
