import { env } from "cloudflare:workers";

interface Statement {
  sql: string;
  values: unknown[];
}

/** One round trip to D1. `rowsWritten` is null for a single statement, because only batches report it here. */
interface RoundTrip {
  statements: Statement[];
  rowsWritten: number | null;
}

/** Returns a D1 database that records its round trips in `trips`. Use `DB` as the binding. */
export function countingDb() {
  const trips: RoundTrip[] = [];
  const statementOf = new WeakMap<D1PreparedStatement, Statement>();

  function watch(prepared: D1PreparedStatement, statement: Statement): D1PreparedStatement {
    statementOf.set(prepared, statement);
    const { bind } = prepared;
    const counted = (name: "first" | "all" | "run" | "raw") => {
      const execute = prepared[name] as (...options: unknown[]) => Promise<unknown>;
      return (...options: unknown[]) => {
        trips.push({ statements: [statement], rowsWritten: null });
        return execute.apply(prepared, options);
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

  const DB = {
    prepare: (sql: string) => watch(env.DB.prepare(sql), { sql, values: [] }),
    async batch(statements: D1PreparedStatement[]) {
      const results = await env.DB.batch(statements);
      trips.push({
        statements: statements.map((prepared) => statementOf.get(prepared) ?? { sql: "", values: [] }),
        rowsWritten: results.reduce((sum, { meta }) => sum + meta.rows_written, 0),
      });
      return results;
    },
  };
  return { DB, trips: trips };
}

/** Runs a statement again and returns the number of rows it reads. */
export async function rowsRead({ sql, values }: Statement): Promise<number> {
  const { meta } = await env.DB.prepare(sql)
    .bind(...values)
    .all();
  return meta.rows_read;
}

/** Returns SQLite's query plan of a statement, one line per step. */
export async function planOf({ sql, values }: Statement): Promise<string[]> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}
