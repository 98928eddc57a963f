// `npm run pictures`: takes the pictures of docs/pages/, docs/guides/images/ and public/pictures/ by their tests. With `all`, or the beginning of a
// route, it saves pictures of those pages and contact sheets below .dev/ instead, for looking at: in two sizes and both themes.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { readArguments } from "./arguments.ts";
import { ROOT } from "./layout.ts";

const PICTURES = ["page-pictures", "guides", "example-shop"];
const FOLDER = path.join(ROOT, ".dev/pictures");

const [pages] = readArguments({ usage: "pictures [-- all | /app/emails]", allowPositionals: true }).positionals;
const names = pages === undefined ? PICTURES : ["every-page"];
const wanted =
  pages === undefined ? { PICTURES: "1" } : { PAGE_PICTURES: FOLDER, PAGE_ROUTES: pages === "all" ? "/" : pages };
const { status } = spawnSync(
  "npx",
  ["vitest", "run", "--project", "host", ...names.map((name) => `test/host/${name}.`)],
  { cwd: ROOT, stdio: "inherit", env: { ...process.env, TEST_FULL: "1", ...wanted } },
);
if (pages !== undefined) console.log(`Pictures and contact sheets (sheet-*.png) are in ${FOLDER}.`);
process.exitCode = status ?? 1;
