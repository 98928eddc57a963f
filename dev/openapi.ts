// `npm run openapi`: prints the OpenAPI document. npm prints a banner before it; `npm run --silent openapi` prints none.
// `npm run openapi -- --out <file>` writes the document to a file instead.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { readOpenApiDocument } from "./openapi-document.ts";

const file = readFileArgument(process.argv.slice(2));
const content = await readOpenApiDocument().catch((error: Error) => exit(error.message));
const document = `${JSON.stringify(content, null, 2)}\n`;
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
