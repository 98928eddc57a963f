/** Counts of emails. `attempted` includes those that will have no attempt. */
export interface Counts {
  queued: number;
  attempted: number;
  delivered: number;
  bounced: number;
  failed: number;
  cancelled: number;
  opened: number;
  clicked: number;
}

/** The counts of a broadcast without emails. */
export const zeroCounts: Counts = {
  queued: 0,
  attempted: 0,
  delivered: 0,
  bounced: 0,
  failed: 0,
  cancelled: 0,
  opened: 0,
  clicked: 0,
};

export const countNames = Object.keys(zeroCounts) as (keyof Counts)[];

/** Returns the counts among other columns. */
export const countsOf = (row: Counts): Counts => mapCounts((name) => row[name]);

/** Returns what was counted after an earlier reading. A late bounce moves an email out of `delivered`, so a count may have fallen. */
export const countsSince = (now: Counts, before: Counts): Counts =>
  mapCounts((name) => Math.max(0, now[name] - before[name]));

const mapCounts = (of: (name: keyof Counts) => number): Counts => ({
  ...zeroCounts,
  ...Object.fromEntries(countNames.map((name) => [name, of(name)])),
});
