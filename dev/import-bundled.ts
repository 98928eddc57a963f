import { register } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./layout.ts";

/** Loader hooks that replace modules of workerd, such as cloudflare:sockets: what is imported here calls none of their functions. */
const HOOKS = `
  const stub = "export const connect = null, env = {}; export class DurableObject {}";
  export const resolve = (name, context, next) => name.startsWith("cloudflare:")
    ? { url: "data:text/javascript," + encodeURIComponent(stub), shortCircuit: true } : next(name, context);`;

let isRegistered = false;

/** Bundles a module, named by its path from the root, and imports it: Node cannot import the JSX of the pages. */
export async function importBundled<Module>(file: string): Promise<Module> {
  if (!isRegistered) register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
  isRegistered = true;
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, file)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    external: ["cloudflare:*"],
    logLevel: "error",
    // Packages in the old module format call require().
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("file:///");' },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString("base64")}`);
}
