/** Bundles the Worker and its bindings once per process; every host start reads the files. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { build, type Plugin } from "esbuild";

export const ROOT = path.join(import.meta.dirname, "../../../..");
/** The entry of the Worker. */
export const WORKER = "src/index.ts";
/** The entry of the Worker with distant bindings. */
const DISTANT_WORKER = "test/support/distance/worker.ts";

/** Files that a host process reads, so that it needs neither esbuild nor wrangler. */
export interface Bundle {
  folder: string;
  script: string;
  workerOptions: string;
  /** Folder of Node's compile cache: compiling Miniflare takes most of a start. */
  compileCache: string;
  /** Folder of migrated databases, which a host copies at its first start. Empty: it migrates its own. */
  migrated: string;
}

/** Variable with a bundle as JSON, which the processes of a test run share. Its maker deletes it. */
export const SHARED_BUNDLE = "EMAIL_DELIVERY_HOST_BUNDLE";

let bundle: Promise<Bundle> | null = null;
let distantBundle: Promise<Bundle> | null = null;

/** Bundles src/index.ts and reads wrangler.toml at the first call. `removeBundle` deletes the files. */
export function bundleOnce(): Promise<Bundle> {
  const shared = sharedBundle();
  bundle ??= shared ? Promise.resolve(shared) : createBundle();
  return bundle;
}

/** Returns the same bundle with the Worker at a distance, which it bundles at the first call. */
export function distantBundleOnce(): Promise<Bundle> {
  distantBundle ??= createDistantBundle();
  return distantBundle;
}

/** Returns the bundle that the processes of a test run share, or null. */
export function sharedBundle(): Bundle | null {
  const text = process.env[SHARED_BUNDLE];
  return text === undefined ? null : (JSON.parse(text) as Bundle);
}

/** Deletes the bundle, unless it is shared. Call it when no host runs. */
export async function removeBundle(): Promise<void> {
  if (sharedBundle()) return;
  const files = await bundle;
  bundle = null;
  // A process that ends may still write its compiled modules there.
  if (files) await rm(files.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

async function createBundle(): Promise<Bundle> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-host-bundle-"));
  const bundle = {
    folder,
    script: path.join(folder, "worker.mjs"),
    workerOptions: path.join(folder, "worker-options.json"),
    compileCache: path.join(folder, "compile-cache"),
    migrated: "",
  };
  await writeFile(bundle.script, await bundleScript(WORKER));
  await writeFile(bundle.workerOptions, JSON.stringify(await readWorkerOptions()));
  return bundle;
}

async function createDistantBundle(): Promise<Bundle> {
  const bundle = await bundleOnce();
  const folder = await mkdtemp(path.join(bundle.folder, "distant-"));
  const script = path.join(folder, "worker.mjs");
  await writeFile(script, await bundleScript(DISTANT_WORKER));
  return { ...bundle, script };
}

/** Reads the bindings of wrangler.toml, without rate limits. */
export async function readWorkerOptions(): Promise<Record<string, unknown>> {
  // A dynamic import, because loading wrangler takes seconds.
  const { unstable_getMiniflareWorkerOptions: read } = await import("wrangler");
  return withoutRateLimits(read(path.join(ROOT, "wrangler.toml")).workerOptions) as Record<string, unknown>;
}

/** Returns the options with rate limits that no test or bench reaches: they send everything with one key. */
function withoutRateLimits<Options extends object>(options: Options): Options {
  const { ratelimits = {} } = options as { ratelimits?: Record<string, { simple: { limit: number } }> };
  const raised = Object.entries(ratelimits).map(([name, { simple, ...rateLimit }]) => [
    name,
    { ...rateLimit, simple: { ...simple, limit: 1_000_000_000 } },
  ]);
  return { ...options, ratelimits: Object.fromEntries(raised) };
}

/** Bundles a Worker module and its imports for workerd. `entry` is a path relative to the root. */
export async function bundleScript(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, entry)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    inject: [path.join(ROOT, "dev/d1-limits.ts")],
    plugins: entry === WORKER ? [nodeBuffer] : [nodeBuffer, countedSockets],
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

/** Maps `buffer`, which dns-packet imports, to workerd's `node:buffer`, as wrangler does. */
const nodeBuffer: Plugin = {
  name: "node-buffer",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^buffer$/ }, () => ({ path: "buffer", namespace: "node-buffer" }));
    onLoad({ filter: /.*/, namespace: "node-buffer" }, () => ({ contents: 'export * from "node:buffer";' }));
  },
};

/** Lets the sockets of the Worker count as connections of their invocation. */
const countedSockets: Plugin = {
  name: "counted-sockets",
  setup({ onResolve }) {
    const counted = path.join(ROOT, "test/support/distance/sockets.ts");
    onResolve({ filter: /^cloudflare:sockets$/ }, ({ importer }) => (importer === counted ? null : { path: counted }));
  },
};
