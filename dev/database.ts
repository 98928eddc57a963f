import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { type Layout, ROOT } from "./layout.ts";
import { wranglerEnvironment } from "./worker/environment.ts";

const MIGRATIONS = path.join(ROOT, "migrations");

/** Opens the Worker's bindings, including the local D1 database, in this process. The Worker must not be running. */
export async function withBindings<T>(layout: Layout, use: (env: Env) => Promise<T>): Promise<T> {
  Object.assign(process.env, wranglerEnvironment(layout), { WRANGLER_LOG: "error" });
  const { unstable_getMiniflareWorkerOptions: readWorkerOptions } = await import("wrangler");
  const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");
  const { workerOptions } = readWorkerOptions(path.join(ROOT, "wrangler.toml"));
  const variables = parseEnvFile(await readFile(layout.workerEnvFile, "utf8"));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      resourcePersistencePath: path.join(layout.persistDir, "v3"),
      // No Worker code runs here, so there are no Durable Object classes and no queue consumers.
      workers: [
        {
          ...workerOptions,
          name: "email-delivery",
          bindings: { ...(workerOptions.bindings as object), ...variables },
          durableObjects: {},
          queueConsumers: {},
          modules: [{ type: "ESModule", path: "empty.mjs", contents: "export default {}" }],
        },
      ],
    }),
  );
  try {
    return await use(await miniflare.getBindings<Env>());
  } finally {
    await miniflare.dispose();
  }
}

/** Parses the file that state/secrets.ts writes: one `NAME="value"` per line, without escapes. */
function parseEnvFile(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)="(.*)"$/gm)].map(([, name = "", value = ""]) => [name, value]));
}

/**
 * Applies missing migrations, one D1 batch per file, and records them in the table that `wrangler d1 migrations` uses.
 * Returns the file names it applied.
 */
export async function migrate(db: D1Database): Promise<string[]> {
  await db
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
       applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
    )
    .run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map((row) => row.name));
  const missing = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql") && !applied.has(name)).sort();
  for (const name of missing) await apply(db, name);
  return missing;
}

async function apply(db: D1Database, name: string) {
  const { unstable_splitSqlQuery: splitStatements } = await import("wrangler");
  const statements = splitStatements(await readFile(path.join(MIGRATIONS, name), "utf8"));
  await db.batch([
    ...statements.map((statement) => db.prepare(statement)),
    db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
  ]);
}
