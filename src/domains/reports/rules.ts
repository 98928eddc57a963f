import { DAY_MS } from "../../lib/time.ts";

/** Reports on a domain of one kind and day that count. The largest senders get some dozens. */
export const MAX_REPORTS_OF_DAY = 500;
/** Sources, and types of TLS failures, of a domain and day that are told apart; twice as many after reports at the same time. */
export const MAX_ROWS_OF_DAY = 1_000;
/** A report counts whose time begins within so many days before its arrival. */
const MAX_AGE_DAYS = 30;

/** Periods of a query, in days. */
export const PERIODS = { "7d": 7, "30d": 30, "90d": 90 } as const;
export type Period = keyof typeof PERIODS;

/** Returns whether the time of a report can be true for one that arrives now. Times in ms since 1970. */
export const isRecent = (from: number, now: number): boolean =>
  from <= now + DAY_MS && from >= now - MAX_AGE_DAYS * DAY_MS;
