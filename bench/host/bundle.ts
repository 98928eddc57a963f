/** What a host runs: the bundled Worker and its bindings, made once a process and read by every start after it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { build, type Plugin } from "esbuild";

export const ROOT = path.join(import.meta.dirname, "../..");

/** Files that a host process starts from, without esbuild and wrangler. */
export interface Bundle {
  folder: string;
  script: string;
  workerOptions: string;
  /** Node's compile cache: most of what a start costs is Miniflare's own source. */
  compileCache: string;
}

let made: Promise<Bundle> | null = null;

/** Bundles src/index.ts and reads wrangler.toml, the first time it is called. `forgetBundle` takes the files away. */
export function bundleOnce(): Promise<Bundle> {
  made ??= makeBundle();
  return made;
}

/** Takes away what `bundleOnce` made. For the end, when no host runs any more. */
export async function removeBundle(): Promise<void> {
  const bundle = await made;
  made = null;
  if (bundle) await rm(bundle.folder, { recursive: true, force: true });
}

async function makeBundle(): Promise<Bundle> {
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
  await writeFile(bundle.workerOptions, JSON.stringify(workerOptions));
  return bundle;
}

/** One module of a Worker and everything it imports, as workerd runs it. `entry` is a path from the root. */
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

/** dns-packet asks for `buffer`, which workerd has as `node:buffer`; wrangler sees to that by itself. */
const nodeBuffer: Plugin = {
  name: "buffer-of-node",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^buffer$/ }, () => ({ path: "buffer", namespace: "of-node" }));
    onLoad({ filter: /.*/, namespace: "of-node" }, () => ({ contents: 'export * from "node:buffer";' }));
  },
};
