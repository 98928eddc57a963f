// `npm run sdk`: writes the generated files of the client (sdk/generated) from the OpenAPI document. With `--check` it
// compares them and fails when they differ. With `--build <folder>` it writes the client as a package for npm.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { readArguments } from "./arguments.ts";
import { ROOT } from "./layout.ts";
import { readOpenApiDocument } from "./openapi-document.ts";
import { buildPackage } from "./sdk/build-package.ts";
import type { Document } from "./sdk/operations.ts";
import { writeClient } from "./sdk/write.ts";

const options = { check: { type: "boolean" }, build: { type: "string" } } as const;
const { check, build } = readArguments({ usage: "sdk [-- --check | --build <folder>]", options }).values;
if (build === undefined) await generate();
else await buildPackage(build);

async function generate() {
  const folder = path.join(ROOT, "sdk/generated");
  const files = Object.entries(writeClient((await readOpenApiDocument()) as Document));
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) {
    const file = path.join(folder, name);
    if (!check) await writeFile(file, content);
    else if ((await readFile(file, "utf8")) !== content) {
      console.error(`sdk/generated/${name} differs from the OpenAPI document. Run: npm run sdk`);
      process.exitCode = 1;
    }
  }
}
