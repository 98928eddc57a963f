import path from "node:path";
import { build, type Plugin } from "esbuild";
import { ROOT } from "./layout.ts";

/**
 * Replaces modules of workerd, such as cloudflare:sockets: what is imported here calls none of their functions. Hooks of Node's loader would do
 * the same, and would give the test files that follow in the process a second vitest, which collects no test.
 */
const workerdModules: Plugin = {
  name: "workerd-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:/ }, ({ path: name }) => ({ path: name, namespace: "workerd" }));
    onLoad({ filter: /./, namespace: "workerd" }, () => ({
      contents: "export const connect = null, env = {}; export class DurableObject {}",
    }));
  },
};

/** Bundles a module, named by its path from the root, and imports it: Node cannot import the JSX of the pages. */
export async function importBundled<Module>(file: string): Promise<Module> {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, file)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: [workerdModules],
    logLevel: "error",
    // Packages in the old module format call require().
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("file:///");' },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString("base64")}`);
}
