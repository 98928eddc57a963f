// The process that start.ts starts: Miniflare with the bundled Worker. It exits when its parent exits.
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire, flushCompileCache } from "node:module";
import path from "node:path";
import type { SeedInput } from "../../../../dev/seed-workspace.ts";
import type { Command, HostProcessOptions, Reply, Request } from "./messages.ts";

// `require`, because `import` makes Node scan six megabytes for export names, which takes longer than running the module.
const { convertV4MiniflareOptions, Miniflare } = createRequire(import.meta.url)(
  "miniflare",
) as typeof import("miniflare");
flushCompileCache();

const SQL_URL = "http://sql.test";
const SQL_WORKER = `export default {
  async fetch(request, { MAIL_0, MAIL_1 }) {
    const { sql, params } = await request.json();
    try {
      const done = await Promise.all([MAIL_0, MAIL_1].map((db) => db.prepare(sql).bind(...params).all()));
      const results = done.flatMap(({ results }) => results);
      return Response.json({ results, changes: done.reduce((sum, { meta }) => sum + meta.changes, 0) });
    } catch (error) {
      return new Response(error.stack, { status: 500 });
    }
  },
};`;

process.on("disconnect", () => process.exit(1));
const options = JSON.parse(process.argv[2] ?? "") as HostProcessOptions;
copyMigrated();
const miniflare = new Miniflare(toMiniflareOptions(options));
await miniflare.ready;
await migrateOnce();
process.on("message", (request: Request) => void respond(request));
reply({ ready: true });

function toMiniflareOptions({ bundle, port, vars, queueSeconds }: HostProcessOptions) {
  const worker = JSON.parse(readFileSync(bundle.workerOptions, "utf8"));
  if (queueSeconds !== null) {
    for (const consumer of Object.values<{ maxBatchTimeout: number }>(worker.queueConsumers)) {
      consumer.maxBatchTimeout = queueSeconds;
    }
  }
  return convertV4MiniflareOptions({
    host: "127.0.0.1",
    port,
    cf: false,
    unsafeTriggerHandlers: true,
    handleStructuredLogs: ({ level, message }) => console.log(level === "log" ? message : `[${level}] ${message}`),
    resourcePersistencePath: resources(),
    workers: [
      {
        ...worker,
        name: "email-delivery",
        bindings: { ...worker.bindings, ...vars },
        modules: [{ type: "ESModule", path: "worker.mjs", contents: readFileSync(bundle.script, "utf8") }],
      },
      {
        name: "sql",
        routes: [`${SQL_URL}/*`],
        d1Databases: worker.d1Databases,
        modules: [{ type: "ESModule", path: "sql.mjs", contents: SQL_WORKER }],
      },
    ],
  });
}

/** Copies migrated databases at the first start on a state directory, where the bundle has some. */
function copyMigrated() {
  if (options.bundle.migrated === "" || existsSync(done())) return;
  cpSync(options.bundle.migrated, resources(), { recursive: true });
  writeFileSync(done(), "");
}

/** Migrates at the first start on a state directory only, because opening the database from here slows each start. */
async function migrateOnce() {
  if (existsSync(done())) return;
  const { migrateAll } = await import("../../../../dev/database.ts");
  await migrateAll(await bindings());
  writeFileSync(done(), "");
}

/** Returns the file that says that the databases are migrated. */
function done(): string {
  return path.join(options.stateDir, "migrated");
}

function resources(): string {
  return path.join(options.stateDir, "resources");
}

async function respond(request: Request) {
  try {
    reply({ id: request.id, result: (await handle(request)) ?? null });
  } catch (error) {
    reply({ id: request.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  if (request.command === "stop") process.exit(0);
}

async function handle(request: Command): Promise<unknown> {
  switch (request.command) {
    case "sql":
      return runSql(request);
    case "seed": {
      const [{ createContext }, { seedWorkspace }] = await Promise.all([
        import("../../../../src/platform/create-context.ts"),
        import("../../../../dev/seed-workspace.ts"),
      ]);
      return seedWorkspace(createContext(await bindings(), "seed"), request.input as SeedInput);
    }
    case "stop":
      return miniflare.dispose();
  }
}

/**
 * Runs a statement in each mail database. Statements that this process prepares would stop it until workerd responds, and workerd
 * could wait for it meanwhile: for room to write a log line.
 */
async function runSql({ sql, params }: Extract<Command, { command: "sql" }>): Promise<unknown> {
  const response = await miniflare.dispatchFetch(SQL_URL, { method: "POST", body: JSON.stringify({ sql, params }) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

function bindings(): Promise<Env> {
  return miniflare.getBindings<Env>();
}

function reply(reply: Reply) {
  process.send?.(reply);
}
