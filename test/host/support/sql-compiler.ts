/** A main and a mail database in workerd, on which statements are compiled without being run. */
import path from "node:path";
import { readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

export const KINDS = ["main", "mail"] as const;
export type Kind = (typeof KINDS)[number];

/**
 * Compiles statements in workerd and responds with the errors; on /batch it runs them in one transaction and responds with the rows
 * of each. A call for each statement from Node would take seconds.
 */
const COMPILER = `export default {
  async fetch(request, env) {
    const compile = ({ kind, sql, parameters }) =>
      env[kind].prepare("EXPLAIN " + sql).bind(...Array(parameters).fill(null)).all()
        .then(() => null, (error) => error.message);
    if (new URL(request.url).pathname === "/compile") return Response.json(await Promise.all((await request.json()).map(compile)));
    const { kind, statements } = await request.json();
    try {
      const results = await env[kind].batch(statements.map((sql) => env[kind].prepare(sql)));
      return Response.json(results.map(({ results }) => results));
    } catch (error) {
      return new Response(error.message, { status: 400 });
    }
  },
}`;
const root = path.join(import.meta.dirname, "../../..");

export class SqlCompiler {
  readonly #miniflare: Miniflare;

  private constructor(miniflare: Miniflare) {
    this.#miniflare = miniflare;
  }

  /** Starts workerd with two empty databases. */
  static async start(): Promise<SqlCompiler> {
    const options = { modules: true, script: COMPILER, d1Databases: { main: "main", mail: "mail" } };
    const miniflare = new Miniflare(convertV4MiniflareOptions(options));
    await miniflare.ready;
    return new SqlCompiler(miniflare);
  }

  /** Applies the migrations of one kind to its database, in one batch. */
  async migrate(kind: Kind): Promise<void> {
    await this.batch(
      kind,
      (await readMigrations(kind)).flatMap(({ queries }) => queries),
    );
  }

  /** Runs statements in one transaction and returns the rows of each. Throws an Error with the message of the database. */
  async batch(kind: Kind, statements: readonly string[]): Promise<unknown[][]> {
    const response = await this.#post("/batch", { kind, statements });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as unknown[][];
  }

  /** Compiles statements. Returns each with its error, or null. */
  async compile<Item extends { kind: Kind; sql: string }>(items: readonly Item[]) {
    const response = await this.#post(
      "/compile",
      items.map(({ kind, sql }) => ({ kind, sql, parameters: parametersOf(sql) })),
    );
    const errors = (await response.json()) as (string | null)[];
    return items.map((item, at) => ({ ...item, error: errors[at] }));
  }

  #post(path: string, body: unknown) {
    return this.#miniflare.dispatchFetch(`http://compiler.test${path}`, { method: "POST", body: JSON.stringify(body) });
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
  }
}

/** Returns the number of values that a statement takes: the highest number of `?1`, or how many `?` it has outside of texts. */
function parametersOf(sql: string): number {
  const found = [...sql.replaceAll(/'[^']*'/g, "").matchAll(/\?(\d*)/g)].map(([, number]) => number);
  return Math.max(found.filter((number) => number === "").length, ...found.map(Number));
}

/** Returns the migrations of one kind of database in their order, each as its statements. */
export function readMigrations(kind: Kind): Promise<{ name: string; queries: string[] }[]> {
  return readD1Migrations(path.join(root, "migrations", kind));
}
