/** Counts of binding calls, in billed units. */
export interface Readings {
  requests: number;
  d1Trips: number;
  rowsRead: number;
  rowsWritten: number;
  /** Message writes; bench/worker.ts adds the read and the delete of each message. */
  queueOperations: number;
  r2ClassA: number;
  r2ClassB: number;
}

export const zeroReadings = (): Readings => ({
  requests: 0,
  d1Trips: 0,
  rowsRead: 0,
  rowsWritten: 0,
  queueOperations: 0,
  r2ClassA: 0,
  r2ClassB: 0,
});

/** Returns `env` with bindings that count their calls in `readings`. */
export function metered(env: Env, readings: Readings): Env {
  return {
    ...env,
    DB: meteredDatabase(env.DB, readings),
    CONTENT: meteredBucket(env.CONTENT, readings),
    WORK: meteredQueue(env.WORK, readings),
    HITS: meteredQueue(env.HITS, readings),
  };
}

function meteredDatabase(db: D1Database, readings: Readings): D1Database {
  const add = (results: readonly D1Result[]) => {
    readings.d1Trips += 1;
    for (const { meta } of results) {
      readings.rowsRead += meta.rows_read;
      readings.rowsWritten += meta.rows_written;
    }
  };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        if (name === "all" || name === "run") {
          return async () => {
            const result = await target.all();
            add([result]);
            return result;
          };
        }
        if (name === "first") {
          return async (column?: string) => {
            const result = await target.all<Record<string, unknown>>();
            add([result]);
            const row = result.results[0] ?? null;
            return column === undefined || row === null ? row : (row[column] ?? null);
          };
        }
        if (name === "raw") {
          return async () => {
            const result = await target.all<Record<string, unknown>>();
            add([result]);
            return result.results.map((row) => Object.values(row));
          };
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    originals.set(wrapped, statement);
    return wrapped;
  };
  return new Proxy(db, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => wrap(target.prepare(sql));
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch(statements.map((statement) => originals.get(statement) ?? statement));
          add(results);
          return results;
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const CLASS_A = new Set(["put", "createMultipartUpload", "list"]);

function meteredBucket(bucket: R2Bucket, readings: Readings): R2Bucket {
  return counted(bucket, (name) => {
    if (CLASS_A.has(name)) readings.r2ClassA += 1;
    if (name === "get" || name === "head") readings.r2ClassB += 1;
  });
}

function meteredQueue<Message>(queue: Queue<Message>, readings: Readings): Queue<Message> {
  return counted(queue, (name, args) => {
    if (name === "send") readings.queueOperations += 1;
    if (name === "sendBatch") readings.queueOperations += [...(args[0] as Iterable<unknown>)].length;
  });
}

function counted<Target extends object>(target: Target, count: (name: string, args: unknown[]) => void): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        count(String(name), args);
        return value.apply(inner, args);
      };
    },
  });
}
