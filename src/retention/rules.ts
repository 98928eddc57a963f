const DAY_MS = 24 * 3_600_000;

/** Days that roll-ups are kept at least: analytics looks 90 back (decisions 10). */
export const ROLLUP_DAYS = 91;
/** Rows one statement takes away: a transaction of milliseconds. */
export const ROWS = 500;
/** Steps of one run. What is left waits for the next hour. */
export const STEPS = 200;

/** Before which moment emails are past their time, in milliseconds since 1970. */
export function emailCutoff(now: number, retentionDays: number): number {
  return now - retentionDays * DAY_MS;
}

/** Before which hour and day since 1970 roll-ups are past theirs. Hourly ones are kept as short as analytics allows. */
export function rollupCutoff(now: number, retentionDays: number): { hour: number; day: number } {
  const today = Math.floor(now / DAY_MS);
  return { hour: (today - ROLLUP_DAYS) * 24, day: today - Math.max(retentionDays, ROLLUP_DAYS) };
}

/** The days since 1970 that are over and not summed up yet, oldest first. */
export function daysToSum(last: number, now: number): number[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: Math.max(0, today - last - 1) }, (_, index) => last + 1 + index);
}
