import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { shardNumbers } from "../src/platform/jobs/shards.ts";
import { copyToMain } from "./copy-to-main.ts";
import { type Layout, ROOT } from "./layout.ts";
import { wranglerEnvironment } from "./worker/environment.ts";

const MIGRATIONS = path.join(ROOT, "migrations");
/** The migration before which the tables of the main database are copied out of a mail database. */
const DROP_MAIN_TABLES = "0041_drop_main_tables.sql";

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
 * Applies missing migrations to the main database and every mail database. The state of a version with one database
 * becomes the mail database 0, and its tables of the main database are copied before they are dropped. Safe to interrupt
 * and repeat. `report` gets a line for each step.
 */
export async function migrateAll(env: Env, report: (line: string) => void = () => {}): Promise<void> {
  await migrate(env.DB, "main", { report: (name) => report(`DB: ${name}`) });
  for (const shard of shardNumbers({ env })) {
    const mail = (env as unknown as Record<string, D1Database>)[`MAIL_${shard}`] as D1Database;
    const reportFile = (name: string) => report(`MAIL_${shard}: ${name}`);
    await migrate(mail, "mail", { isWanted: (name) => name < DROP_MAIN_TABLES, report: reportFile });
    if (!(await isApplied(mail, DROP_MAIN_TABLES))) {
      await copyToMain(mail, env.DB, (table, rows) => report(`MAIL_${shard}: copied ${rows} rows of ${table}`));
    }
    await migrate(mail, "mail", { report: reportFile });
  }
}

/** Migrates a database to the form of the version that had one database for all tables. For tests. */
export function migrateOldForm(db: D1Database): Promise<void> {
  return migrate(db, "mail", { isWanted: (name) => name < DROP_MAIN_TABLES, report: () => {} });
}

/**
 * Applies missing migrations of one kind of database that `isWanted` selects, one D1 batch per file, and records them in
 * the table that `wrangler d1 migrations` uses.
 */
async function migrate(
  db: D1Database,
  kind: "main" | "mail",
  { isWanted = () => true, report }: { isWanted?: (name: string) => boolean; report: (name: string) => void },
): Promise<void> {
  await db
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
       applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
    )
    .run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map((row) => row.name));
  const files = (await readdir(path.join(MIGRATIONS, kind))).filter((name) => name.endsWith(".sql"));
  const missing = files.filter((name) => !applied.has(name) && isWanted(name)).sort();
  for (const name of missing) {
    await apply(db, kind, name);
    report(name);
  }
}

async function isApplied(db: D1Database, name: string): Promise<boolean> {
  return (await db.prepare("SELECT 1 FROM d1_migrations WHERE name = ?1").bind(name).first()) !== null;
}

async function apply(db: D1Database, kind: "main" | "mail", name: string) {
  const { unstable_splitSqlQuery: splitStatements } = await import("wrangler");
  const statements = splitStatements(await readFile(path.join(MIGRATIONS, kind, name), "utf8"));
  await db.batch([
    ...statements.map((statement) => db.prepare(statement)),
    db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
  ]);
}
