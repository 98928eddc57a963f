/** Runs the Worker by Miniflare in this process, for measurements: `wrangler dev` itself uses several times the Worker's CPU. */
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { migrateAll } from "../../../../dev/database.ts";
import { type Bundle, bundleScript, readWorkerOptions, sharedBundle, WORKER } from "./bundle.ts";

/** Where Miniflare reads the path of workerd, and a program that starts it with its output in a file. */
const WORKERD_PATH = "MINIFLARE_WORKERD_PATH";
const LOGGING_WORKERD = path.join(import.meta.dirname, "workerd.sh");
const { default: workerd } = createRequire(import.meta.url)("workerd") as { default: string };

export interface Host {
  url: string;
  /** The bindings of the Worker, with its variables. */
  env: Env;
  /** Runs the scheduled handler. */
  scheduled(cron: string): Promise<void>;
  stop(): Promise<void>;
}

/** Prints the lines of the Worker's log but those that tell only what is usual: a bench sends thousands of emails. */
async function printUnusual(log: string): Promise<void> {
  const lines = (await readFile(log, "utf8").catch(() => "")).split("\n");
  for (const line of lines) if (line !== "" && !line.includes('\\"level\\":\\"info\\"')) console.log(line);
}

export interface HostOptions {
  /** Overrides `max_batch_timeout` of every queue, in seconds. */
  queueSeconds?: number;
  /** By default a free one. */
  port?: number;
}

/** Bundles `entry`, migrates new databases in a temporary folder, and starts the Worker with these variables. */
export async function startHost(
  entry: string,
  variables: Record<string, string>,
  { queueSeconds, port = 0 }: HostOptions = {},
): Promise<Host> {
  const stateDir = await mkdtemp(path.join(tmpdir(), "email-delivery-host-"));
  const { script, workerOptions, migrated } = await filesOf(entry, sharedBundle());
  if (migrated !== "") await cp(migrated, stateDir, { recursive: true });
  const log = path.join(stateDir, "workerd.log");
  Object.assign(process.env, { [WORKERD_PATH]: LOGGING_WORKERD, REAL_WORKERD: workerd, WORKERD_LOG: log });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port,
      cf: false,
      resourcePersistencePath: stateDir,
      workers: [
        {
          ...withControlEndpoints(workerOptions),
          queueConsumers: withBatchTimeout(workerOptions.queueConsumers as QueueConsumers, queueSeconds),
          name: "email-delivery",
          bindings: { ...(workerOptions.bindings as object), ...variables },
          modules: [{ type: "ESModule", path: "worker.mjs", contents: script }],
        },
      ],
    }),
  );
  const url = (await miniflare.ready).href.replace(/\/$/, "");
  delete process.env[WORKERD_PATH];
  const env = await miniflare.getBindings<Env>();
  if (migrated === "") await migrateAll({ DB: env.DB, MAIL_0: env.MAIL_0, MAIL_1: env.MAIL_1 } as Env);
  return {
    url,
    env,
    async scheduled(cron) {
      const worker = await miniflare.getWorker();
      await worker.scheduled({ cron });
    },
    async stop() {
      await miniflare.dispose();
      await printUnusual(log);
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/** Returns the options with which the control endpoints reach the Worker as its routes do: without a look-up among the assets. */
function withControlEndpoints(options: Record<string, unknown>): Record<string, unknown> {
  const assets = options.assets as { run_worker_first: string[] };
  return { ...options, assets: { ...assets, run_worker_first: [...assets.run_worker_first, "/bench/*"] } };
}

type QueueConsumers = Record<string, { maxBatchTimeout: number }>;

function withBatchTimeout(consumers: QueueConsumers, seconds: number | undefined): QueueConsumers {
  if (seconds === undefined) return consumers;
  const changed = Object.entries(consumers).map(([queue, options]) => [
    queue,
    { ...options, maxBatchTimeout: seconds },
  ]);
  return Object.fromEntries(changed);
}

/** Returns the text of the Worker, its bindings, and the folder of migrated databases, or "". Reads what is shared already. */
async function filesOf(entry: string, shared: Bundle | null) {
  const text = async (file: string) => readFile(file, "utf8");
  return {
    script: shared && entry === WORKER ? await text(shared.script) : await bundleScript(entry),
    workerOptions: shared
      ? (JSON.parse(await text(shared.workerOptions)) as Record<string, unknown>)
      : await readWorkerOptions(),
    migrated: shared?.migrated ?? "",
  };
}
