// `npm run openapi`: prints the OpenAPI document. npm prints a banner before it; `npm run --silent openapi` prints none.
// `npm run openapi -- --out <file>` writes the document to a file instead.
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { register } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { ROOT } from "./layout.ts";

/** Loader hooks that replace modules of workerd, such as cloudflare:sockets: the document needs none of their functions. */
const HOOKS = `
  const stub = "export const connect = null, env = {}; export class DurableObject {}";
  export const resolve = (name, context, next) => name.startsWith("cloudflare:")
    ? { url: "data:text/javascript," + encodeURIComponent(stub), shortCircuit: true } : next(name, context);`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
const { app } = (await importBundled(path.join(ROOT, "src/app.ts"))) as typeof import("../src/app.ts");
const file = readFileArgument(process.argv.slice(2));
// The Worker answers no request without a master key. The document does not depend on it.
const settings = { MASTER_KEYS: `1:${randomBytes(32).toString("base64")}` };
const response = await app.request("/openapi.json", {}, settings);
if (!response.ok) exit(`/openapi.json answered ${response.status}: ${await response.text()}`);
const document = `${JSON.stringify(await response.json(), null, 2)}\n`;
if (file === undefined) process.stdout.write(document);
else await writeFile(file, document).catch((error: Error) => exit(error.message));

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

function readFileArgument(args: string[]): string | undefined {
  try {
    return parseArgs({ args, options: { out: { type: "string" } } }).values.out;
  } catch (error) {
    return exit(`${(error as Error).message}\nUsage: npm run --silent openapi [-- --out <file>]`);
  }
}

function exit(message: string): never {
  console.error(message);
  process.exit(1);
}
