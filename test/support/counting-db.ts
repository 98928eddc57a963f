import { env } from "cloudflare:workers";

type Binding = "DB" | "MAIL_0" | "MAIL_1";

export interface Statement {
  /** Name of the binding that prepared it. */
  binding: Binding;
  sql: string;
  values: unknown[];
}

/** One round trip to D1. `rowsWritten` is null for a single statement whose result has no counts. */
interface RoundTrip {
  statements: Statement[];
  rowsWritten: number | null;
}

/** Returns the D1 bindings, which record their round trips in `trips`. */
export function countingDb() {
  const trips: RoundTrip[] = [];
  const statementOf = new WeakMap<D1PreparedStatement, Statement>();

  function watch(prepared: D1PreparedStatement, statement: Statement): D1PreparedStatement {
    statementOf.set(prepared, statement);
    const { bind } = prepared;
    const counted = (name: "first" | "all" | "run" | "raw") => {
      const execute = prepared[name] as (...options: unknown[]) => Promise<unknown>;
      return async (...options: unknown[]) => {
        const trip: RoundTrip = { statements: [statement], rowsWritten: null };
        trips.push(trip);
        const result = await execute.apply(prepared, options);
        if (name === "run" || name === "all") trip.rowsWritten = (result as D1Result).meta.rows_written;
        return result;
      };
    };
    return Object.assign(prepared, {
      bind: (...values: unknown[]) => watch(bind.apply(prepared, values), { ...statement, values }),
      first: counted("first"),
      all: counted("all"),
      run: counted("run"),
      raw: counted("raw"),
    });
  }

  const counting = (binding: Binding) => ({
    prepare: (sql: string) => watch(env[binding].prepare(sql), { binding, sql, values: [] }),
    async batch(statements: D1PreparedStatement[]) {
      const results = await env[binding].batch(statements);
      trips.push({
        statements: statements.map((prepared) => statementOf.get(prepared) ?? { binding, sql: "", values: [] }),
        rowsWritten: results.reduce((sum, { meta }) => sum + meta.rows_written, 0),
      });
      return results;
    },
  });
  return { bindings: { DB: counting("DB"), MAIL_0: counting("MAIL_0"), MAIL_1: counting("MAIL_1") }, trips };
}

/** Runs a statement again and returns the number of rows it reads. */
export async function rowsRead({ binding, sql, values }: Statement): Promise<number> {
  const { meta } = await env[binding]
    .prepare(sql)
    .bind(...values)
    .all();
  return meta.rows_read;
}

/** Returns SQLite's query plan of a statement, one line per step. */
export async function planOf({ binding, sql, values }: Statement): Promise<string[]> {
  const { results } = await env[binding]
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}
