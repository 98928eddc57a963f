import type { Sql } from "./sql.ts";
import type { MailboxChange } from "./types.ts";

/** An operation of a mailbox, which its object has as a method. */
export interface Operation<Args extends unknown[], Result> {
  /** True: it changes nothing, and runs in no transaction. */
  isRead: boolean;
  /** Returns the result, and the changes that clients with an open socket are told. `now` is in ms since 1970. */
  run(sql: Sql, now: number, args: Args): { result: Result; changes: MailboxChange[] };
}

/** Returns an operation that changes nothing. */
export function read<Args extends unknown[], Result>(
  run: (sql: Sql, ...args: Args) => Result,
): Operation<Args, Result> & { isRead: true } {
  return { isRead: true, run: (sql, _now, args) => ({ result: run(sql, ...args), changes: [] }) };
}

type ToChanges<Args, Result> = (result: NoInfer<Result>, args: NoInfer<Args>) => MailboxChange[];

/** Returns an operation that changes the mailbox. `toChanges` returns what clients are told; by default nothing. */
export function change<Args extends unknown[], Result>(
  run: (sql: Sql, ...args: Args) => Result,
  toChanges?: ToChanges<Args, Result>,
): Operation<Args, Result> {
  return told((sql, _now, args) => run(sql, ...args), toChanges);
}

/** Returns the same for a function whose last argument is the time, in ms since 1970. */
export function changeAt<Args extends unknown[], Result>(
  run: (sql: Sql, ...args: [...Args, now: number]) => Result,
  toChanges?: ToChanges<Args, Result>,
): Operation<Args, Result> {
  return told((sql, now, args) => run(sql, ...args, now), toChanges);
}

function told<Args extends unknown[], Result>(
  run: (sql: Sql, now: number, args: Args) => Result,
  toChanges: ToChanges<Args, Result> = () => [],
): Operation<Args, Result> {
  return {
    isRead: false,
    run(sql, now, args) {
      const result = run(sql, now, args);
      return { result, changes: toChanges(result, args) };
    },
  };
}

/** The methods of an object that has these operations. */
export type MethodsOf<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends Operation<infer Args, infer Result>
    ? (...args: Args) => Promise<Result>
    : never;
};

/** The operations that change nothing. */
export type ReadsOf<Operations> = {
  [Name in keyof Operations as Operations[Name] extends { isRead: true } ? Name : never]: Operations[Name];
};
