import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root })
  .toString()
  .split("\n")
  .filter((file) => file !== "" && existsSync(path.join(root, file)));
const code = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.endsWith(".d.ts"));
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

describe("house rules", () => {
  it("no file has a name without meaning", () => {
    const vague = /(^|\/)(utils?|helpers?|common|manager|service|misc)(\/|\.|$)/;
    expect(code.filter((file) => vague.test(file))).toEqual([]);
  });

  it("no source file is longer than 300 lines, no test longer than 400", () => {
    const long = code.filter((file) => read(file).split("\n").length > (file.startsWith("test/") ? 401 : 301));
    expect(long).toEqual([]);
  });

  it("every path that README names is there", () => {
    const paths = [...read("README.md").matchAll(/`((?:src|dev|bench|test|migrations)\/[A-Za-z0-9_./-]*)`/g)].map(
      ([, name = ""]) => name,
    );
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  it("every script that README names is there", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const names = [...read("README.md").matchAll(/npm (?:run ([a-z:]+)|(start|test)\b)/g)].map(
      ([, run, plain]) => run ?? plain ?? "",
    );
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("no file uses any or ignores a type error", () => {
    const loose = code.filter((file) =>
      /:\s*any\b(?! )|\bas any\b(?! [a-z])|@ts-ignore|@ts-expect-error/.test(read(file)),
    );
    expect(loose.filter((file) => file !== "test/host/house.test.ts")).toEqual([]);
  });
});
