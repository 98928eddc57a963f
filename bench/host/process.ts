// The process that start.ts starts: Miniflare with the bundled Worker. It exits when its parent exits.
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire, flushCompileCache } from "node:module";
import path from "node:path";
import type { SeedInput } from "../../dev/seed-workspace.ts";
import type { Command, HostProcessOptions, Reply, Request } from "./messages.ts";

// `require`, because `import` makes Node scan six megabytes for export names, which takes longer than running the module.
const { convertV4MiniflareOptions, Miniflare } = createRequire(import.meta.url)(
  "miniflare",
) as typeof import("miniflare");
flushCompileCache();

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
  const { migrateAll } = await import("../../dev/database.ts");
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
    case "sql": {
      const { MAIL_0, MAIL_1 } = await bindings();
      const done = await Promise.all(
        [MAIL_0, MAIL_1].map((db) =>
          db
            .prepare(request.sql)
            .bind(...request.params)
            .all(),
        ),
      );
      return {
        results: done.flatMap(({ results }) => results),
        changes: done.reduce((sum, { meta }) => sum + meta.changes, 0),
      };
    }
    case "seed": {
      const [{ createContext }, { seedWorkspace }] = await Promise.all([
        import("../../src/platform/context.ts"),
        import("../../dev/seed-workspace.ts"),
      ]);
      return seedWorkspace(createContext(await bindings(), "seed"), request.input as SeedInput);
    }
    case "stop":
      return miniflare.dispose();
  }
}

function bindings(): Promise<Env> {
  return miniflare.getBindings<Env>();
}

function reply(reply: Reply) {
  process.send?.(reply);
}
