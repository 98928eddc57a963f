import { randomBytes } from "node:crypto";
import { register } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./layout.ts";

/** Loader hooks that replace modules of workerd, such as cloudflare:sockets: the document needs none of their functions. */
const HOOKS = `
  const stub = "export const connect = null, env = {}; export class DurableObject {}";
  export const resolve = (name, context, next) => name.startsWith("cloudflare:")
    ? { url: "data:text/javascript," + encodeURIComponent(stub), shortCircuit: true } : next(name, context);`;

/** Returns the OpenAPI document of the app. Throws when the app does not answer it. */
export async function readOpenApiDocument(): Promise<unknown> {
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
  const { app } = (await importBundled(path.join(ROOT, "src/app.ts"))) as typeof import("../src/app.ts");
  // The Worker answers no request without a master key. The document does not depend on it.
  const settings = { MASTER_KEYS: `1:${randomBytes(32).toString("base64")}` };
  const response = await app.request("/openapi.json", {}, settings);
  if (!response.ok) throw new Error(`/openapi.json answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Bundles a module and imports it: Node cannot import the JSX of the pages. */
async function importBundled(file: string): Promise<unknown> {
  const { outputFiles } = await build({
    entryPoints: [file],
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
