// `npm run openapi`: prints the OpenAPI document. npm prints a banner before it; `npm run --silent openapi` prints none.
// `npm run openapi -- --out <file>` writes the document to a file instead.
import { writeFile } from "node:fs/promises";
import { readArguments } from "./arguments.ts";
import { readOpenApiDocument } from "./openapi-document.ts";

const { out } = readArguments({
  usage: "--silent openapi [-- --out <file>]",
  options: { out: { type: "string" } },
}).values;
const content = await readOpenApiDocument().catch((error: Error) => exit(error.message));
const document = `${JSON.stringify(content, null, 2)}\n`;
if (out === undefined) process.stdout.write(document);
else await writeFile(out, document).catch((error: Error) => exit(error.message));

function exit(message: string): never {
  console.error(message);
  process.exit(1);
}
