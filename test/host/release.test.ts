/** `npm run release` in a clone of the repository with the files of the working tree. */
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { ReleaseRecord } from "../../dev/release/record.ts";
import { nextVersion, releaseChangelog, setVersion } from "../../dev/release/version.ts";
import { temporaryFolder } from "./support/suite.ts";

const root = path.join(import.meta.dirname, "../..");
const installed = path.join(root, "node_modules/.bin/node");
const node = existsSync(installed) ? installed : process.execPath;
const clone = temporaryFolder();

const git = (...args: string[]) => execFileSync("git", args, { cwd: clone, encoding: "utf8" });
const read = (file: string) => readFileSync(path.join(clone, file), "utf8");
const release = (...args: string[]) =>
  spawnSync(node, ["--disable-warning=ExperimentalWarning", "dev/release.ts", ...args], {
    cwd: clone,
    encoding: "utf8",
  });

beforeAll(() => {
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", "--no-tags", root, clone]);
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of listed
    .toString()
    .split("\n")
    .filter((name) => name !== "" && existsSync(path.join(root, name)))) {
    cpSync(path.join(root, file), path.join(clone, file));
  }
  symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"));
  appendFileSync(path.join(clone, ".git/info/exclude"), "\nnode_modules\n");
  git("config", "user.name", "Release test");
  git("config", "user.email", "release@example.test");
  // Right after a release nothing is unreleased.
  const entry = "## Unreleased\n\n### You must do\n\n- Nothing.\n\n### Changes\n\n- A change.\n\n## ";
  writeFileSync(path.join(clone, "CHANGELOG.md"), read("CHANGELOG.md").replace("## Unreleased\n\n## ", entry));
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", "Take the files of the working tree");
}, 60_000);
describe("npm run release", () => {
  it("changes nothing with --dry-run, and says each step", () => {
    const head = git("rev-parse", "HEAD");
    const { status, stdout } = release("minor", "--dry-run");
    expect(status).toBe(0);
    expect(stdout).toMatch(/would {2}run npm run test:full\n[\s\S]*would {2}commit "Release \d+\.\d+\.0" and tag it v/);
    expect(git("status", "--porcelain") + git("tag")).toBe("");
    expect(git("rev-parse", "HEAD")).toBe(head);
  });

  it("refuses a dirty tree, red tests, and a version that is not above this one, and changes nothing", () => {
    appendFileSync(path.join(clone, "README.md"), "\n");
    expect(release("minor", "--check", "true").stderr).toMatch(/uncommitted changes:\nM README\.md/);
    git("checkout", "--quiet", "README.md");
    expect(release("minor", "--check", "false").stderr).toBe('Nothing was released. "false" failed.\n');
    expect(release("0.0.1", "--check", "true").stderr).toMatch(/0\.0\.1 is not above the version/);
    expect(release("--check", "true").stderr).toMatch(/Usage/);
    expect(git("status", "--porcelain") + git("tag")).toBe("");
  });

  it("sets the version, dates the changelog, records the SQL, commits and tags", () => {
    const { status, stderr } = release("99.0.0", "--check", "true");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(git("tag").trim()).toBe("v99.0.0");
    expect(git("status", "--porcelain")).toBe("");
    expect(git("log", "-1", "--format=%s", "v99.0.0").trim()).toBe("Release 99.0.0");
    const versions = [JSON.parse(read("package.json")), JSON.parse(read("package-lock.json"))] as {
      version: string;
    }[];
    expect(versions.map(({ version }) => version)).toEqual(["99.0.0", "99.0.0"]);
    expect(read("CHANGELOG.md")).toContain(
      `## Unreleased\n\n## 99.0.0 (${new Date().toISOString().slice(0, 10)}, ${git("rev-parse", "--short=8", "HEAD~1").trim()})\n\n`,
    );
    expect(read("src/lib/version.ts")).toContain('VERSION = "99.0.0"');
    const record = JSON.parse(read("migrations/released.json")) as ReleaseRecord;
    expect(record).toMatchObject({ version: "99.0.0", commit: git("rev-parse", "HEAD~1").trim() });
    expect(record.statements.mail.length).toBeGreaterThan(100);
    expect(release("99.0.1", "--check", "true").stderr).toMatch(/no unreleased entries/);
  });
});

describe("the release before", () => {
  it("is the same in package.json, in the lock file, in the changelog and in the record of its SQL", () => {
    const readRoot = (file: string) => readFileSync(path.join(root, file), "utf8");
    const { version } = JSON.parse(readRoot("package.json")) as { version: string };
    const [, newest] =
      /^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d(?:, [0-9a-f]{8})?\)$/m.exec(readRoot("CHANGELOG.md")) ?? [];
    const record = JSON.parse(readRoot("migrations/released.json")) as ReleaseRecord;
    const lock = JSON.parse(readRoot("package-lock.json")) as { version: string };
    expect([newest, record.version, lock.version]).toEqual([version, version, version]);
  });
});

describe("the version", () => {
  it("is raised in one part, and the parts after it begin again", () => {
    expect(["major", "minor", "patch", "1.2.4"].map((wanted) => nextVersion("1.2.3", wanted))).toEqual([
      "2.0.0",
      "1.3.0",
      "1.2.4",
      "1.2.4",
    ]);
    for (const wanted of ["1.2.3", "1.2.2", "0.9.9", "v1.3.0", "1.3", "01.3.0", "1.3.0-beta"]) {
      expect(() => nextVersion("1.2.3", wanted)).toThrow(Error);
    }
  });

  it("is written for this package only", () => {
    const lock =
      '{ "lockfileVersion": 3, "version": "1.0.0", "": { "version": "1.0.0" }, "a": { "version": "1.0.0" } }';
    expect(setVersion(lock, "1.0.0", "2.0.0").match(/2\.0\.0/g)).toHaveLength(2);
    expect(setVersion('{ "version": "1.0.0", "a": "1.0.0" }', "1.0.0", "2.0.0")).toBe(
      '{ "version": "2.0.0", "a": "1.0.0" }',
    );
  });

  it("gets the unreleased entries, and there must be some", () => {
    const text = "# C\n\n## Unreleased\n\n- A\n\n## 1.0.0\n\n- B\n";
    expect(releaseChangelog(text, "1.1.0", "2026-01-02")).toBe(
      "# C\n\n## Unreleased\n\n## 1.1.0 (2026-01-02)\n\n- A\n\n## 1.0.0\n\n- B\n",
    );
    expect(() => releaseChangelog("## Unreleased\n\n## 1.0.0\n\n- B\n", "1.1.0", "")).toThrow("nothing to release");
  });
});
