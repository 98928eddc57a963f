// `npm run pictures`: takes the pictures of docs/pages/, docs/guides/images/ and public/pictures/ by their tests. With `--to <folder>` it saves each page
// in light and dark at 1280 and 320 px there instead, for looking at: those of the example shop and those of the page tests.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { readArguments } from "./arguments.ts";
import { ROOT } from "./layout.ts";

const PICTURES = ["page-pictures", "guides", "example-shop"];
const PAGE_TESTS = ["page-pictures", "pages", "dashboard-pages", "form-pages", "webmail-pages"];

const { to } = readArguments({ usage: "pictures [-- --to <folder>]", options: { to: { type: "string" } } }).values;
const names = to === undefined ? PICTURES : PAGE_TESTS;
const wanted = { TEST_FULL: "1", ...(to === undefined ? { PICTURES: "1" } : { SCREENSHOTS: path.resolve(to) }) };
const { status } = spawnSync(
  "npx",
  ["vitest", "run", "--project", "host", ...names.map((name) => `test/host/${name}.`)],
  { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...wanted } },
);
process.exitCode = status ?? 1;
