// `npm run openapi`: prints the OpenAPI document. npm prints a banner before it; `npm run --silent openapi` prints none.
// `npm run openapi -- --out <file>` writes the document to a file instead.
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { register } from "node:module";
import { parseArgs } from "node:util";

/** Loader hooks that replace modules of workerd, such as cloudflare:sockets: the document needs none of their functions. */
const HOOKS = `
  const stub = "export const connect = null, env = {}; export class DurableObject {}";
  export const resolve = (name, context, next) => name.startsWith("cloudflare:")
    ? { url: "data:text/javascript," + encodeURIComponent(stub), shortCircuit: true } : next(name, context);`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
const { app } = await import("../src/app.ts");
const file = readFileArgument(process.argv.slice(2));
// The Worker answers no request without a master key. The document does not depend on it.
const settings = { MASTER_KEYS: `1:${randomBytes(32).toString("base64")}` };
const response = await app.request("/openapi.json", {}, settings);
if (!response.ok) exit(`/openapi.json answered ${response.status}: ${await response.text()}`);
const document = `${JSON.stringify(await response.json(), null, 2)}\n`;
if (file === undefined) process.stdout.write(document);
else await writeFile(file, document).catch((error: Error) => exit(error.message));

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
