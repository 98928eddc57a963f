/** A D1 database whose calls pass through a function: to count them, or to delay them and let them fail. */

/** A statement of a call, with its SQL and its bound values. */
interface WatchedStatement {
  statement: D1PreparedStatement;
  sql: string;
  values: readonly unknown[];
}

/** Runs a call to a database: a batch, or one statement. `run` executes it and returns the result of each statement. */
export type DatabaseCall = (
  method: string,
  statements: readonly WatchedStatement[],
  run: () => Promise<D1Result[]>,
) => Promise<D1Result[]>;

/** Returns a database that runs its calls by `call`. Throws when the Worker calls a method that is not watched. */
export function watchDatabase(db: D1Database, call: DatabaseCall): D1Database {
  const originals = new WeakMap<object, WatchedStatement>();
  const wrap = (original: WatchedStatement): D1PreparedStatement => {
    const all = async (method: string) =>
      (await call(method, [original], async () => [await original.statement.all()]))[0] as D1Result<
        Record<string, unknown>
      >;
    const wrapped = new Proxy(original.statement, {
      get(target, name) {
        switch (name) {
          case "bind":
            return (...values: unknown[]) => wrap({ statement: target.bind(...values), sql: original.sql, values });
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
      if (name === "prepare") return (sql: string) => wrap({ statement: target.prepare(sql), sql, values: [] });
      if (name === "batch") {
        return (statements: D1PreparedStatement[]) => {
          const batch = statements.map((statement) => originals.get(statement) ?? { statement, sql: "", values: [] });
          return call("batch", batch, () => target.batch(batch.map(({ statement }) => statement)));
        };
      }
      const value: unknown = Reflect.get(target, name);
      if (typeof value === "function" && name !== "constructor")
        throw new Error(`The bench does not watch D1Database.${String(name)}`);
      return value;
    },
  });
}
