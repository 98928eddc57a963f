// `npm run contract`: writes the generated parts of docs/contract and docs/mcp.md from the tables of the code. With `--check` it compares
// them and fails when they differ.
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { readArguments } from "./arguments.ts";
import { fillPage, partsOf } from "./contract/fill-page.ts";
import { importBundled } from "./import-bundled.ts";
import { ROOT } from "./layout.ts";

const options = { check: { type: "boolean" } } as const;
const { check } = readArguments({ usage: "contract [-- --check]", options }).values;
const { tables } = await importBundled<typeof import("./contract/tables.ts")>("dev/contract/tables.ts");
const names = (await readdir(path.join(ROOT, "docs/contract"))).map((name) => `docs/contract/${name}`);
const unused = new Set(Object.keys(tables));
for (const name of [...names, "docs/mcp.md"]) {
  const file = path.join(ROOT, name);
  const page = await readFile(file, "utf8");
  const filled = fillPage(page, tables);
  for (const part of partsOf(page)) unused.delete(part);
  if (filled === page) continue;
  if (!check) await writeFile(file, filled);
  else fail(`${name} differs from the code. Run: npm run contract`);
}
if (unused.size > 0) fail(`No page has the part ${[...unused].join(", ")}`);

function fail(message: string) {
  console.error(message);
  process.exitCode = 1;
}
