import { DAY_MS, dayOf } from "../../lib/time.ts";

/** Days that roll-ups are kept at least: analytics covers 90 days. */
const ROLLUP_DAYS = 91;
/** Rows that one statement deletes, to keep its transaction at some milliseconds. */
export const ROWS_PER_STEP = 500;

/** Objects without rows: R2 list pages of one run, objects of a page (R2's limit), and the least age of an object. */
export const SWEEP_PAGES = 5;
export const OBJECTS_PER_PAGE = 1_000;
export const SWEEP_MIN_AGE_MS = DAY_MS;
/** Longest time of a request: its body has at most 40 MB and arrives at 4 KiB a second or more (src/http/body-stream.ts). */
export const MAX_REQUEST_MS = 3 * 3_600_000;

/** Returns the time before which emails are expired, in milliseconds since 1970. */
export function emailCutoff(now: number, retentionDays: number): number {
  return now - retentionDays * DAY_MS;
}

/** Returns the hour and the day since 1970 before which roll-ups are expired. */
export function rollupCutoff(now: number, retentionDays: number): { hour: number; day: number } {
  const today = dayOf(now);
  return { hour: (today - ROLLUP_DAYS) * 24, day: today - Math.max(retentionDays, ROLLUP_DAYS) };
}

/** Returns the days since 1970 after `last` that ended before `now`, oldest first. */
export function daysToRollUp(last: number, now: number): number[] {
  const today = dayOf(now);
  return Array.from({ length: Math.max(0, today - last - 1) }, (_, index) => last + 1 + index);
}

/** Hours of one statement that sums them: a day of a workspace has up to 48,000 rows. */
const HOURS_PER_RANGE = 24;
/** An hour is summed when it ended this long ago, in ms: a write that began before its end is committed by then. */
const CLOSE_AFTER_MS = 90_000;

/** Returns the hours after `last` that ended, as ranges of up to HOURS_PER_RANGE hours since 1970, oldest first. */
export function hoursToClose(last: number, now: number): { first: number; last: number }[] {
  const end = Math.floor((now - CLOSE_AFTER_MS) / 3_600_000) - 1;
  const ranges: { first: number; last: number }[] = [];
  for (let first = last + 1; first <= end; first += HOURS_PER_RANGE)
    ranges.push({ first, last: Math.min(first + HOURS_PER_RANGE - 1, end) });
  return ranges;
}
