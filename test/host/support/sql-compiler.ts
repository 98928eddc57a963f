/** A main and a mail database in workerd, on which statements are compiled without being run. */
import path from "node:path";
import { readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

export const KINDS = ["main", "mail"] as const;
export type Kind = (typeof KINDS)[number];

/** Compiles statements in workerd, since a call for each from Node would take seconds. Responds with the errors. */
const COMPILER = `export default {
  async fetch(request, env) {
    const compile = ({ kind, sql, parameters }) =>
      env[kind].prepare("EXPLAIN " + sql).bind(...Array(parameters).fill(null)).all()
        .then(() => null, (error) => error.message);
    return Response.json(await Promise.all((await request.json()).map(compile)));
  },
}`;
const root = path.join(import.meta.dirname, "../../..");

export class SqlCompiler {
  readonly #miniflare: Miniflare;
  readonly databases: Record<Kind, D1Database>;

  constructor(miniflare: Miniflare, databases: Record<Kind, D1Database>) {
    this.#miniflare = miniflare;
    this.databases = databases;
  }

  /** Starts workerd with two empty databases. */
  static async start(): Promise<SqlCompiler> {
    const options = { modules: true, script: COMPILER, d1Databases: { main: "main", mail: "mail" } };
    const miniflare = new Miniflare(convertV4MiniflareOptions(options));
    return new SqlCompiler(miniflare, await miniflare.getBindings<Record<Kind, D1Database>>());
  }

  /** Applies the migrations of one kind to its database, in one batch. */
  async migrate(kind: Kind): Promise<void> {
    const statements = (await readMigrations(kind)).flatMap(({ queries }) => queries);
    await this.databases[kind].batch(statements.map((query) => this.databases[kind].prepare(query)));
  }

  /** Compiles statements. Returns each with its error, or null. */
  async compile<Item extends { kind: Kind; sql: string }>(items: readonly Item[]) {
    const parametersOf = (sql: string) =>
      Math.max(0, ...[...sql.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number)));
    const body = JSON.stringify(items.map(({ kind, sql }) => ({ kind, sql, parameters: parametersOf(sql) })));
    const response = await this.#miniflare.dispatchFetch("http://compiler.test/", { method: "POST", body });
    const errors = (await response.json()) as (string | null)[];
    return items.map((item, at) => ({ ...item, error: errors[at] }));
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
  }
}

/** Returns the migrations of one kind of database in their order, each as its statements. */
export function readMigrations(kind: Kind): Promise<{ name: string; queries: string[] }[]> {
  return readD1Migrations(path.join(root, "migrations", kind));
}
