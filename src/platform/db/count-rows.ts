import type { Database, DatabaseKind, Statement } from "../context.ts";
import { withCalls } from "./calls.ts";
import { isRead } from "./is-read.ts";
import { isRepeating, repeatCall } from "./repeat-call.ts";

/** The database that counts the rows of each binding. */
const counting = new WeakMap<object, unknown>();
/** Rows that statements on each binding have written since the last `takeRowsWritten`. */
const written = new WeakMap<object, number>();
/** D1's own statements by the watched ones, since `batch` takes only the former, and whether they only read. */
const originals = new WeakMap<object, { original: object; reads: boolean }>();

/** Returns a binding as the kind of database that it is, which counts the rows written. Call it only where bindings are read. */
export function asDatabase<Kind extends DatabaseKind>(binding: D1Database): Database<Kind> {
  return countRows(binding as unknown as Database<Kind>);
}

/**
 * Returns a binding as a database that counts, in memory, the rows that its statements write (`meta.rows_written` of D1), and
 * that repeats calls as `repeatCall` does.
 */
function countRows<Kind extends DatabaseKind>(binding: Database<Kind>): Database<Kind> {
  const known = counting.get(binding);
  if (known) return known as Database<Kind>;
  const repeat: typeof repeatCall = isRepeating(binding) ? (_, call) => call() : repeatCall;
  const watch = (original: Statement<Kind>, reads: boolean): Statement<Kind> => {
    const counted = (name: "all" | "run") => async (): Promise<D1Result> => {
      const result = await repeat(reads, () => original[name]());
      addRowsWritten(binding, rowsOf(result));
      return result;
    };
    const replaced: Partial<Record<string | symbol, unknown>> = {
      bind: (...values: unknown[]) => watch(original.bind(...values), reads),
      all: counted("all"),
      run: counted("run"),
      raw: (options?: { columnNames?: false }) => repeat(reads, () => original.raw(options)),
      // `first` of D1 returns no counts.
      first: async (column?: string) => {
        const [row = null] = (await counted("all")()).results as Record<string, unknown>[];
        return column === undefined || row === null ? row : row[column];
      },
    };
    const get = (_: Statement<Kind>, name: string | symbol) => {
      const own: unknown = replaced[name] ?? Reflect.get(original, name);
      return typeof own === "function" ? own.bind(original) : own;
    };
    const watched = new Proxy(original, { get });
    originals.set(watched, { original, reads });
    return watched;
  };
  const database = withCalls<Kind>({
    prepare: (sql) => watch(binding.prepare(sql), isRead(sql)),
    batch: async (statements) => {
      const own = statements.map((one) => originals.get(one) ?? { original: one, reads: false });
      const run = () => binding.batch(own.map(({ original }) => original as Statement<Kind>));
      const results = await repeat(
        own.every(({ reads }) => reads),
        run,
      );
      addRowsWritten(
        binding,
        results.reduce((sum, result) => sum + rowsOf(result), 0),
      );
      return results as never;
    },
  });
  counting.set(binding, database);
  return database;
}

/** Returns the rows written on a binding since the last call, and counts from zero again. */
export function takeRowsWritten(binding: object): number {
  const rows = written.get(binding) ?? 0;
  written.delete(binding);
  return rows;
}

/** Adds rows to those that were written on a binding. */
export function addRowsWritten(binding: object, rows: number): void {
  written.set(binding, (written.get(binding) ?? 0) + rows);
}

/** The databases of some tests report no counts. */
const rowsOf = (result: D1Result | undefined) => result?.meta?.rows_written ?? 0;
