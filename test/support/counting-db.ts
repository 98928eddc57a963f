import { env } from "cloudflare:workers";

interface Statement {
  sql: string;
  values: unknown[];
}

/** One round trip to D1. Rows are those of a batch, which answers with them; null for a single statement. */
interface Trip {
  statements: Statement[];
  rowsWritten: number | null;
}

/** A database that keeps account of the round trips through it. Put `DB` in the place of the binding. */
export function countingDb() {
  const trips: Trip[] = [];
  const known = new WeakMap<D1PreparedStatement, Statement>();

  function watch(prepared: D1PreparedStatement, statement: Statement): D1PreparedStatement {
    known.set(prepared, statement);
    const { bind } = prepared;
    const counted = (name: "first" | "all" | "run" | "raw") => {
      const ask = prepared[name] as (...options: unknown[]) => Promise<unknown>;
      return (...options: unknown[]) => {
        trips.push({ statements: [statement], rowsWritten: null });
        return ask.apply(prepared, options);
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
        statements: statements.map((prepared) => known.get(prepared) ?? { sql: "", values: [] }),
        rowsWritten: results.reduce((sum, { meta }) => sum + meta.rows_written, 0),
      });
      return results;
    },
  };
  return { DB, trips };
}

/** Rows that a statement reads, found by running it again. */
export async function rowsRead({ sql, values }: Statement): Promise<number> {
  const { meta } = await env.DB.prepare(sql)
    .bind(...values)
    .all();
  return meta.rows_read;
}

/** How SQLite goes about a statement, one line a step. */
export async function planOf({ sql, values }: Statement): Promise<string[]> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}
