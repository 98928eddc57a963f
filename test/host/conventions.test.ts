import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findCycles, readImportGraph } from "./support/import-graph.ts";

const root = path.join(import.meta.dirname, "../..");
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root })
  .toString()
  .split("\n")
  .filter((file) => file !== "" && existsSync(path.join(root, file)));
const isGenerated = (file: string) => file.endsWith(".d.ts") || /^(sdk|src\/ui)\/generated\//.test(file);
const code = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !isGenerated(file));
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const documents = files.filter((file) => file === "README.md" || /^docs\/.*\.md$/.test(file));

describe("conventions of the repository", () => {
  it("no file has a name without meaning", () => {
    const vague = /(^|\/)(utils?|helpers?|common|manager|service|misc)(\/|\.|$)/;
    expect(code.filter((file) => vague.test(file))).toEqual([]);
  });

  it("no source file is longer than 300 lines, no test longer than 400", () => {
    const long = code.filter((file) => read(file).split("\n").length > (file.startsWith("test/") ? 401 : 301));
    expect(long).toEqual([]);
  });

  it("every path and link in README and docs exists", () => {
    expect(documents.length).toBeGreaterThan(4);
    const named = documents.flatMap((document) => [
      ...[
        ...read(document).matchAll(
          /`((?:src|sdk|client|dev|environments|bench|test|migrations|docs|durable-objects)\/[\w./-]*)`/g,
        ),
      ].map(([, name = ""]) => ({ document, name, file: name })),
      ...[...read(document).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, name = ""]) => ({
        document,
        name,
        file: path.join(path.dirname(document), name),
      })),
    ]);
    expect(named.length).toBeGreaterThan(60);
    const missing = named.filter(({ file }) => !existsSync(path.join(root, file)));
    expect(missing.map(({ document, name }) => `${document}: ${name}`)).toEqual([]);
  });

  it("every npm script in README and docs exists", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const names = documents.flatMap((document) =>
      [...read(document).matchAll(/npm (?:run (?:--silent )?([a-z][a-z:-]*)|(start|test)\b)/g)].map(
        ([, run, plain]) => run ?? plain ?? "",
      ),
    );
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("no folders of src import values from each other in a cycle", () => {
    const graph = readImportGraph(
      root,
      code.filter((file) => file.startsWith("src/")),
    );
    expect(graph.size).toBeGreaterThan(20);
    expect(findCycles(graph)).toEqual([]);
  });

  // The compiler checks the table of a query, but not those that it joins.
  it("no file of src has tables of both kinds of database, so no query joins them", () => {
    const importsOf = (file: string, kind: string) =>
      new RegExp(`^(?:import|\\} from) .*/schema/${kind}/[\\w-]+\\.ts"`, "m").test(read(file));
    const sources = code.filter((file) => file.startsWith("src/") && !file.startsWith("src/db/schema/"));
    const [main, mail] = ["main", "mail"].map((kind) => sources.filter((file) => importsOf(file, kind)));
    expect(main?.length).toBeGreaterThan(10);
    expect(mail?.length).toBeGreaterThan(1);
    expect(main?.filter((file) => mail?.includes(file))).toEqual(["src/db/orm.ts"]);
    expect(sources.filter((file) => /^export .*\/schema\/(main|mail)\//m.test(read(file)))).toEqual([]);
  });

  it("no file uses any or ignores a type error", () => {
    const loose = code.filter((file) =>
      /:\s*any\b(?! )|\bas any\b(?! [a-z])|@ts-ignore|@ts-expect-error/.test(read(file)),
    );
    expect(loose.filter((file) => file !== "test/host/conventions.test.ts")).toEqual([]);
  });
});
