import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { AREAS, findCycles, findImportsOfLaterAreas, readImportGraph } from "../host/support/import-graph.ts";

const root = path.join(import.meta.dirname, "../..");
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root })
  .toString()
  .split("\n")
  .filter((file) => file !== "" && existsSync(path.join(root, file)));
const isGenerated = (file: string) => file.endsWith(".d.ts") || /^(sdk|src\/http\/ui)\/generated\//.test(file);
const code = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !isGenerated(file));
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
// A block opens with its first text; a line comment is a beginning unless a line comment ends just before it.
const OPENING = /\/\*\*?\s*(?:\*\s+)?(?:What|Whether|Which)\b|(?<!^[ \t]*\/\/.*\n[ \t]*)\/\/ (?:What|Whether|Which)\b/m;

describe("conventions of the repository", () => {
  it("no file has a name without meaning", () => {
    const vague = /(^|\/)(utils?|helpers?|common|manager|service|misc)(\/|\.|$)/;
    expect(code.filter((file) => vague.test(file))).toEqual([]);
  });

  it("no file is longer than 400 lines", () => {
    expect(code.filter((file) => read(file).split("\n").length > 401)).toEqual([]);
  });

  it("no file beside tests spreads a literal object to put several properties on one line", () => {
    const sources = code.filter((file) => !file.startsWith("test/"));
    expect(sources.length).toBeGreaterThan(1_000);
    expect(sources.filter((file) => read(file).includes("...{"))).toEqual([]);
  });

  it("no error ends with a full stop, since a page that shows it puts one there", () => {
    const ended = /\b(?:conflict|forbidden|badRequest|tooLarge|unauthorized)\(\s*["`][^"`]*\.["`]/;
    expect(ended.test('throw conflict(\n  "It was sent.",\n)')).toBe(true);
    expect(code.filter((file) => file.startsWith("src/") && ended.test(read(file)))).toEqual([]);
  });

  it("no page shows as a link what ends something for good", () => {
    const pages = code.filter((file) => file.startsWith("src/web/") && file.endsWith(".tsx"));
    const buttons = pages.flatMap((file) => read(file).match(/<(?:Submit|PostButton)\b.*?\/>/gs) ?? []);
    const ending = buttons.filter((button) =>
      /label="(?:Delete|Cancel|Withdraw|Unlink|Revoke|End)\b(?! the)/.test(button),
    );
    expect(ending.length).toBeGreaterThan(5);
    expect(ending.filter((button) => button.includes('kind="link"'))).toEqual([]);
  });

  it("no test of the layers check and unit starts a Worker, a browser, the gateway or the egress", () => {
    const starting =
      /\b(?:start(?:Host|Service|Gateway|Egress|Rig|LocalDns)|sharedService|openSite|launchBrowser)\(|"cloudflare:/;
    const tests = code.filter(
      (file) => /^test\/(?:check|unit)\//.test(file) && file !== "test/check/conventions.test.ts",
    );
    expect(tests.length).toBeGreaterThan(50);
    expect(tests.filter((file) => starting.test(read(file)))).toEqual([]);
  });

  it("no folders of src import values from each other in a cycle", () => {
    const graph = readImportGraph(
      root,
      code.filter((file) => file.startsWith("src/")),
    );
    expect(graph.size).toBeGreaterThan(20);
    expect(findCycles(graph)).toEqual([]);
  });

  it("src has its areas and no other folder, and no area imports a later one", () => {
    const sources = code.filter((file) => file.startsWith("src/"));
    const folders = new Set(sources.flatMap((file) => file.split("/").slice(1, -1).slice(0, 1)));
    expect([...folders].sort()).toEqual([...AREAS].sort());
    expect(findImportsOfLaterAreas(root, sources)).toEqual([]);
  });

  // The compiler checks the table of a query, but not those that it joins.
  it("no file of src has tables of both kinds of database, so no query joins them", () => {
    const importsOf = (file: string, kind: string) =>
      new RegExp(`^(?:import|\\} from) .*/schema/${kind}/[\\w-]+\\.ts"`, "m").test(read(file));
    const sources = code.filter((file) => file.startsWith("src/") && !file.startsWith("src/platform/db/schema/"));
    const [main, mail] = ["main", "mail"].map((kind) => sources.filter((file) => importsOf(file, kind)));
    expect(main?.length).toBeGreaterThan(10);
    expect(mail?.length).toBeGreaterThan(1);
    // One has types alone, the other the names of columns.
    const ofBoth = ["src/platform/db/byte-pages.ts", "src/platform/db/client.ts"];
    expect(main?.filter((file) => mail?.includes(file))).toEqual(ofBoth);
    expect(sources.filter((file) => /^export .*\/schema\/(main|mail)\//m.test(read(file)))).toEqual([]);
  });

  it("no file uses any or ignores a type error", () => {
    const loose = code.filter((file) =>
      /:\s*any\b(?! )|\bas any\b(?! [a-z])|@ts-ignore|@ts-expect-error/.test(read(file)),
    );
    expect(loose.filter((file) => file !== "test/check/conventions.test.ts")).toEqual([]);
  });

  it("no comment begins with What, Whether or Which, but a line within one may", () => {
    for (const opening of [
      "/** What it has. */",
      "/**\n   * Whether it is.\n   */",
      "a();\n// Which one.",
      "a(); // What.",
    ])
      expect(OPENING.test(opening), opening).toBe(true);
    for (const rest of [
      "/**\n * Returns it.\n * What follows\n */",
      "// Tells\n  // which.\n  // What else.",
      '"// whatever"',
    ])
      expect(OPENING.test(rest), rest).toBe(false);
    const commented = code.filter((file) => file !== "test/check/conventions.test.ts");
    expect(commented.filter((file) => OPENING.test(read(file)))).toEqual([]);
  });
});
