import { resultCounts } from "../../sending/emails/index.ts";

export const countNames = ["queued", ...resultCounts] as const;

/** Counts of emails. `attempted` includes those that will have no attempt. */
export type Counts = Record<(typeof countNames)[number], number>;

const mapCounts = (of: (name: keyof Counts) => number): Counts =>
  Object.fromEntries(countNames.map((name) => [name, of(name)])) as Counts;

/** The counts of a broadcast without emails. */
export const zeroCounts = mapCounts(() => 0);

/** Returns the counts among other columns. A count that an earlier version has not stored is zero. */
export const countsOf = (row: Partial<Counts>): Counts => mapCounts((name) => row[name] ?? 0);

/** Returns what was counted after an earlier reading. A late bounce moves an email out of `delivered`, so a count may have fallen. */
export const countsSince = (now: Counts, before: Counts): Counts =>
  mapCounts((name) => Math.max(0, now[name] - before[name]));
