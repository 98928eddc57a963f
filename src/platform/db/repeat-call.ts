import { repeat } from "../../lib/repeat.ts";

/** Errors of D1 that pass (developers.cloudflare.com/d1/observability/debug-d1, 2026-08). */
const OVERLOADED = /D1 DB is overloaded/;
const LOST =
  /Network connection lost|caused object to be reset|reset because its code was updated|transient issue on remote node/;

/** Errors that what a statement or a function was given causes: the same input fails again. */
const OF_STATEMENT =
  /malformed JSON|bad JSON path|SQLITE_(?:TOOBIG|MISMATCH|CONSTRAINT|ERROR)|too big|datatype mismatch|constraint failed/;
/** That the database was not migrated is no fault of a row. */
const OF_SCHEMA = /no such (?:table|column|index)|has no column/;
/** Errors by which `fetch`, sockets, streams and Durable Objects tell that they do not work now. */
const OF_NETWORK = /fetch|network|connect|socket|stream|RPC|Durable Object/i;

/** Returns whether a call failed by what it was given, so that the same fails again. */
export function isOfStatement(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof RangeError) return true;
  if (error instanceof TypeError) return !OF_NETWORK.test(error.message);
  const text = String(error);
  return OF_STATEMENT.test(text) && !OF_SCHEMA.test(text) && !LOST.test(text);
}

/**
 * Returns whether a call failed for another reason than a lost connection, an overload or a missing migration: by what it was given or how
 * much that was, so that a part of it may succeed.
 */
export function isOfContent(error: unknown): boolean {
  return ![LOST, OVERLOADED, OF_SCHEMA].some((other) => other.test(String(error)));
}

/** Waits before a call to D1 is repeated, in milliseconds. */
const READ_WAITS_MS = [50, 200];
/** Few, since each caller that repeats its writes has waits of its own. */
const WRITE_WAITS_MS = [100];

/** Returns whether D1 refused a call because too many others waited. Nothing of the call was executed. */
export const isOverloaded = (error: unknown): boolean => OVERLOADED.test(String(error));

/** Databases whose calls end in others that are repeated. */
const repeating = new WeakSet<object>();

/** Marks a database as one whose calls end in calls that are repeated, so that they are not repeated once more. */
export function markRepeating<Binding extends object>(db: Binding): Binding {
  repeating.add(db);
  return db;
}

/** Returns whether `markRepeating` has marked a database. */
export const isRepeating = (db: object): boolean => repeating.has(db);

/** Runs a call to D1. Repeats a read after every error that passes, a write that D1 refused unexecuted. Throws the last error. */
export function repeatCall<Result>(isRead: boolean, call: () => Promise<Result>): Promise<Result> {
  const passes = (error: unknown) => isOverloaded(error) || (isRead && LOST.test(String(error)));
  return repeat(isRead ? READ_WAITS_MS : WRITE_WAITS_MS, call, passes);
}
