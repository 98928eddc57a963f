import path from "node:path";
import { experimental_readRawConfig as readRawConfig } from "wrangler";
import { ROOT } from "../layout.ts";

/** The parts of wrangler.toml that have a name of their own in each environment. */
export interface WorkerConfig {
  name: string;
  vars: Record<string, string>;
  d1_databases: { binding: string; database_name: string; database_id: string; migrations_dir: string }[];
  r2_buckets: { binding: string; bucket_name: string }[];
  queues: {
    producers: { binding: string; queue: string }[];
    consumers: { queue: string; dead_letter_queue?: string; max_retries?: number }[];
  };
  ratelimits: { name: string; namespace_id: string }[];
}

/** How mail for BOUNCE_DOMAIN reaches the Worker: by the mail gateway as its MX, or by Cloudflare's Email Routing. */
export const BOUNCE_ROUTES = ["gateway", "email-routing"] as const;

/** The content of environments/<name>.json. */
export interface EnvironmentFile {
  vars: Record<string, string>;
  /** One of BOUNCE_ROUTES; default: the gateway. */
  bounce_route?: string;
  /** Ids of D1 databases by binding, recorded when they are created. */
  databases: Record<string, string>;
}

export const ENVIRONMENTS = ["production", "staging"] as const;
export type EnvironmentName = (typeof ENVIRONMENTS)[number];

/** Seconds until a queue message that failed is tried again. */
const RETRY_DELAY_SECONDS = 30;
/** CPU of one invocation, in milliseconds: the largest batch and import take a tenth of it. */
const CPU_MS = 30_000;

/** Reads wrangler.toml, whose top level is the configuration of local work. */
export function readWorkerConfig(): WorkerConfig {
  return readRawConfig({ config: path.join(ROOT, "wrangler.toml") }).rawConfig as WorkerConfig;
}

/**
 * Returns the configuration of an environment: the bindings of wrangler.toml under names of their own, so that several environments
 * fit into one account, the variables of the environment's file, and what only a deployment has. Pure.
 */
export function composeConfig(top: WorkerConfig, environment: EnvironmentName, file: EnvironmentFile) {
  const name = `${top.name}-${environment}`;
  const named = (rest: string) => `${name}-${rest}`;
  const queueVars = Object.entries(top.vars).filter(([key]) => key.endsWith("_QUEUE"));
  const vars: Record<string, string> = {
    ...top.vars,
    ...file.vars,
    ENVIRONMENT: environment,
    ...Object.fromEntries(queueVars.map(([key, queue]) => [key, named(queue)])),
  };
  const host = URL.canParse(file.vars.PUBLIC_URL ?? "") ? new URL(file.vars.PUBLIC_URL ?? "").hostname : null;
  return {
    ...top,
    name,
    vars,
    d1_databases: top.d1_databases.map((database) => ({
      ...database,
      database_name: named(database.binding === "DB" ? "main" : database.binding.toLowerCase().replace("_", "-")),
      database_id: file.databases[database.binding] ?? "",
    })),
    r2_buckets: top.r2_buckets.map((bucket) => ({ ...bucket, bucket_name: named(bucket.binding.toLowerCase()) })),
    queues: {
      producers: top.queues.producers.map((producer) => ({ ...producer, queue: named(producer.queue) })),
      consumers: top.queues.consumers.map((consumer) => ({
        ...consumer,
        queue: named(consumer.queue),
        retry_delay: RETRY_DELAY_SECONDS,
        ...(consumer.dead_letter_queue ? { dead_letter_queue: named(consumer.dead_letter_queue) } : {}),
      })),
    },
    // Numbers of an account: each environment counts for itself.
    ratelimits: top.ratelimits.map((limit) => ({
      ...limit,
      namespace_id: String(Number(limit.namespace_id) + 1_000 * ENVIRONMENTS.indexOf(environment)),
    })),
    // All mail of the zone. Wrangler sets the catch-all rule of Email Routing when it deploys.
    ...(usesEmailRouting(file) ? { addresses: [`*@${vars.BOUNCE_DOMAIN}`] } : {}),
    routes: host === null ? [] : [{ pattern: host, custom_domain: true }],
    workers_dev: false,
    preview_urls: false,
    observability: { enabled: true },
    limits: { cpu_ms: CPU_MS },
    // Runs near the databases: a request makes several calls to them and responds once.
    placement: { mode: "smart" },
  };
}

/** Returns whether Email Routing gives the mail of BOUNCE_DOMAIN to the Worker. Pure. */
export function usesEmailRouting({ bounce_route }: Pick<EnvironmentFile, "bounce_route">): boolean {
  return bounce_route === "email-routing";
}

export type ComposedConfig = ReturnType<typeof composeConfig>;

/** Returns the names of all queues of a configuration, those of dead letters first, which others refer to. Pure. */
export function queueNames({ queues }: Pick<ComposedConfig, "queues">): string[] {
  const dead = queues.consumers.flatMap((consumer) => consumer.dead_letter_queue ?? []);
  const all = [...dead, ...queues.consumers.map(({ queue }) => queue), ...queues.producers.map(({ queue }) => queue)];
  return [...new Set(all)];
}
