/** Periods and buckets of analytics (docs/contract/analytics.md#periods). Pure. Hours are counted since 1970, in UTC. */

import { DAY_MS, HOUR_MS, startOfDay } from "../../lib/time.ts";

export const periods = ["24h", "7d", "30d", "90d"] as const;
export type Period = (typeof periods)[number];

export const granularities = ["hour", "day"] as const;
export type Granularity = (typeof granularities)[number];

const HOURS: Readonly<Record<Period, number>> = { "24h": 24, "7d": 7 * 24, "30d": 30 * 24, "90d": 90 * 24 };
const BUCKET_HOURS: Readonly<Record<Granularity, number>> = { hour: 1, day: 24 };

/** The first and the last hour of a period. */
export interface Hours {
  first: number;
  last: number;
}

/** Returns the hours of a period that ends with the current hour: a period rolls on every hour. */
export function hoursOf(period: Period, now: number): Hours {
  const last = Math.floor(now / HOUR_MS);
  return { first: last - HOURS[period] + 1, last };
}

/** Days that may be chosen, from the first to the last: mail of older days may be deleted. */
export const MAX_DAYS = 366;

/**
 * Returns the hours of days such as `2026-11-23`, in UTC, up to the current hour. Null for texts that are no days, for a last day before the first,
 * for a first one to come, and for more than 366 days.
 */
export function hoursOfDays(from: string, to: string, now: number): Hours | null {
  const [start, end] = [startOfDay(from), startOfDay(to)];
  if (start === null || end === null || start > end || end - start >= MAX_DAYS * DAY_MS) return null;
  const [first, last] = [start / HOUR_MS, Math.floor(Math.min(end + DAY_MS - 1, now) / HOUR_MS)];
  return first <= last ? { first, last } : null;
}

/** Returns the number since 1970 of every bucket that a period touches, oldest first. */
export function bucketsOf({ first, last }: Hours, granularity: Granularity): number[] {
  const hours = BUCKET_HOURS[granularity];
  const start = Math.floor(first / hours);
  return Array.from({ length: Math.floor(last / hours) - start + 1 }, (_, index) => start + index);
}

/** Returns the hours of a bucket. */
export const hoursPerBucket = (granularity: Granularity): number => BUCKET_HOURS[granularity];

/** Returns the time at which a bucket begins, in ms since 1970. */
export function bucketStart(bucket: number, granularity: Granularity): number {
  return bucket * BUCKET_HOURS[granularity] * HOUR_MS;
}

/** Returns `count / of` with six digits, at most 1, or null when there is nothing to divide by. */
export function rate(count: number, of: number): number | null {
  return of <= 0 ? null : Math.round(Math.min(1, count / of) * 1e6) / 1e6;
}
