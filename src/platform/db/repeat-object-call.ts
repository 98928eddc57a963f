import { repeat } from "../../lib/repeat.ts";

/** Waits before a call to R2 is repeated, in milliseconds. */
const WAITS_MS = [50, 200];

/**
 * Runs a call to R2 that may be made again: a read, or a write of bytes in memory. Repeats it twice, after whatever error: R2
 * fails for a moment, or takes no more requests. Throws the last error.
 */
export const repeatObjectCall = <Result>(call: () => Promise<Result>): Promise<Result> => repeat(WAITS_MS, call);
