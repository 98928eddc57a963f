/** Bundles the Worker and its bindings once per process; every host start reads the files. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { build, type Plugin } from "esbuild";

export const ROOT = path.join(import.meta.dirname, "../..");

/** Files that a host process reads, so that it needs neither esbuild nor wrangler. */
export interface Bundle {
  folder: string;
  script: string;
  workerOptions: string;
  /** Folder of Node's compile cache: compiling Miniflare takes most of a start. */
  compileCache: string;
}

let bundle: Promise<Bundle> | null = null;

/** Bundles src/index.ts and reads wrangler.toml at the first call. `removeBundle` deletes the files. */
export function bundleOnce(): Promise<Bundle> {
  bundle ??= createBundle();
  return bundle;
}

/** Deletes the bundle. Call it when no host runs. */
export async function removeBundle(): Promise<void> {
  const files = await bundle;
  bundle = null;
  if (files) await rm(files.folder, { recursive: true, force: true });
}

async function createBundle(): Promise<Bundle> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-host-bundle-"));
  const bundle = {
    folder,
    script: path.join(folder, "worker.mjs"),
    workerOptions: path.join(folder, "worker-options.json"),
    compileCache: path.join(folder, "compile-cache"),
  };
  await writeFile(bundle.script, await bundleScript("src/index.ts"));
  const { unstable_getMiniflareWorkerOptions: read } = await import("wrangler");
  const { workerOptions } = read(path.join(ROOT, "wrangler.toml"));
  await writeFile(bundle.workerOptions, JSON.stringify(withoutRateLimits(workerOptions)));
  return bundle;
}

/** Returns the options with rate limits that no test or bench reaches: they send everything with one key. */
export function withoutRateLimits<Options extends object>(options: Options): Options {
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
    plugins: [nodeBuffer],
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
