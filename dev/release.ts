// `npm run release -- major|minor|patch|<version>`: tests, sets the version, dates the entries of CHANGELOG.md, records the SQL
// of the version (migrations/released.json), commits and tags. It pushes and deploys nothing.
//   --dry-run          checks the tree and prints each step
//   --check <command>  what must succeed before; default: npm run test:full
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readArguments } from "./arguments.ts";
import { ROOT } from "./layout.ts";
import { RECORD_FILE, recordOf } from "./release/record.ts";
import { nextVersion, releaseChangelog, setVersion } from "./release/version.ts";

/** Files that have the version. */
const VERSION_FILES = ["package.json", "package-lock.json", "src/lib/version.ts"];

const usage = "release -- major|minor|patch|<version> [--dry-run] [--check <command>]";
const { values, positionals } = readArguments({
  usage,
  allowPositionals: true,
  options: { "dry-run": { type: "boolean" }, check: { type: "string", default: "npm run test:full" } },
});
try {
  release();
} catch (error) {
  console.error(`Nothing was released. ${(error as Error).message}`);
  process.exit(1);
}

function release(): void {
  const [wanted, ...rest] = positionals;
  if (wanted === undefined || rest.length > 0) {
    throw new Error(`Usage: npm run ${usage}`);
  }
  const commit = git("rev-parse", "--short=8", "HEAD").trim();
  const current = (JSON.parse(read("package.json")) as { version: string }).version;
  const version = nextVersion(current, wanted);
  const changelog = releaseChangelog(
    read("CHANGELOG.md"),
    version,
    `${new Date().toISOString().slice(0, 10)}, ${commit}`,
  );
  assertReleasable(`v${version}`);
  const isDry = values["dry-run"] === true;
  const step = (text: string) => console.log(`${isDry ? "would" : "now  "}  ${text}`);

  step(`run ${values.check}`);
  if (!isDry) assertPasses(values.check);
  step(`set the version ${version} in ${VERSION_FILES.join(", ")} (it is ${current})`);
  step(`put the unreleased entries of CHANGELOG.md under ${version}`);
  step(`record the SQL of the version in ${RECORD_FILE}`);
  step(`commit "Release ${version}" and tag it v${version}`);
  if (isDry) return;
  const record = recordOf(ROOT, version);
  for (const file of VERSION_FILES) write(file, setVersion(read(file), current, version));
  write("CHANGELOG.md", changelog);
  write(RECORD_FILE, `${JSON.stringify(record, null, 2)}\n`);
  git("add", ...VERSION_FILES, "CHANGELOG.md", RECORD_FILE);
  git("commit", "--quiet", "--message", `Release ${version}`);
  git("tag", "--annotate", `v${version}`, "--message", `Release ${version}`);
  console.log("\nThen: git push --follow-tags, and npm run deploy (docs/operating.md).");
}

/** Throws when there are uncommitted changes, or when the tag exists. */
function assertReleasable(tag: string): void {
  const changes = git("status", "--porcelain").trim();
  if (changes !== "") throw new Error(`The tree has uncommitted changes:\n${changes}`);
  if (git("tag", "--list", tag).trim() !== "") throw new Error(`The tag ${tag} exists.`);
}

function assertPasses(command: string): void {
  const { status } = spawnSync(command, { shell: true, cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error(`"${command}" failed.`);
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), "utf8");
}

function write(file: string, text: string): void {
  writeFileSync(path.join(ROOT, file), text);
}
