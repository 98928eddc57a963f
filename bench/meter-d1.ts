/** A metered D1 database. */
import type { Recorder } from "./meter.ts";
import { record } from "./meter-others.ts";

/** A statement that claims outbox rows: only claims count the claims of a row up (src/platform/outbox/lease.ts). */
const CLAIM = /claims = claims \+ 1/;

interface Original {
  statement: D1PreparedStatement;
  sql: string;
}

/** Throws when the Worker calls a method that is not metered. */
export function meteredDatabase(db: D1Database, recorder: Recorder): D1Database {
  const originals = new WeakMap<object, Original>();
  const call = async (method: string, statements: readonly Original[], run: () => Promise<D1Result[]>) => {
    recorder.meter.add("d1Calls");
    const results = await record(recorder, "D1", method, run);
    results.forEach((result, index) => {
      countResult(recorder, statements[index]?.sql ?? "", result);
    });
    return results;
  };
  const wrap = (original: Original): D1PreparedStatement => {
    const all = async (method: string) =>
      (await call(method, [original], async () => [await original.statement.all()]))[0] as D1Result<
        Record<string, unknown>
      >;
    const wrapped = new Proxy(original.statement, {
      get(target, name) {
        switch (name) {
          case "bind":
            return (...values: unknown[]) => wrap({ statement: target.bind(...values), sql: original.sql });
          case "all":
          case "run":
            return () => all(name);
          case "first":
            return async (column?: string) => {
              const [row = null] = (await all(name)).results;
              return column === undefined || row === null ? row : (row[column] ?? null);
            };
          case "raw":
            return async () => (await all(name)).results.map((row) => Object.values(row));
          default:
            return Reflect.get(target, name);
        }
      },
    });
    originals.set(wrapped, original);
    return wrapped;
  };
  return new Proxy(db, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => wrap({ statement: target.prepare(sql), sql });
      if (name === "batch") {
        return (statements: D1PreparedStatement[]) => {
          const batch = statements.map((statement) => originals.get(statement) ?? { statement, sql: "" });
          return call("batch", batch, () => target.batch(batch.map(({ statement }) => statement)));
        };
      }
      const value: unknown = Reflect.get(target, name);
      if (typeof value === "function") throw new Error(`The bench does not count D1Database.${String(name)}`);
      return value;
    },
  });
}

function countResult({ meter }: Recorder, sql: string, { meta, results }: D1Result): void {
  meter.add("rowsRead", meta.rows_read);
  meter.add("rowsWritten", meta.rows_written);
  if (!CLAIM.test(sql) || results.length === 0) return;
  meter.add("claims");
  meter.add("claimedRows", results.length);
}
