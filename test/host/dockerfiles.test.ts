/** The images of the gateway and of the egress. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

/** Returns what a program imports: its files as paths from the root, and its packages. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, target = ""] of read(file).matchAll(/^(?:import|export) (?!type )[^;"]*from "([^"]+)"/gm)) {
    if (target.startsWith(".")) importsOf(path.posix.join(path.posix.dirname(file), target), seen);
    else if (!target.startsWith("node:")) seen.add(target.split("/")[0] ?? "");
  }
  return seen;
}

describe.each(["mail-gateway", "smtp-egress"])("the Dockerfile of %s", (program) => {
  const dockerfile = read(`${program}/Dockerfile`);

  it("copies what exists and all that the program imports, and installs its packages", () => {
    const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files = ""]) => files.split(" "));
    for (const file of copied) expect(existsSync(path.join(ROOT, file)), file).toBe(true);
    const { dependencies } = JSON.parse(read(`${program}/package.json`)) as { dependencies: Record<string, string> };
    const missing = [...importsOf(`${program}/main.ts`)].filter(
      (file) => !(file in dependencies) && !copied.some((folder) => file.startsWith(`${folder}/`)),
    );
    expect(missing).toEqual([]);
  });

  it("starts the program, and sets variables that it reads", () => {
    const [, command = "[]"] = /^CMD (.+)$/m.exec(dockerfile) ?? [];
    expect((JSON.parse(command) as string[]).at(-1)).toBe(`${program}/main.ts`);
    const [, environment = ""] = /^ENV (.+)$/m.exec(dockerfile) ?? [];
    const names = environment.split(" ").map((setting) => setting.split("=")[0] ?? "");
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) expect(read(`${program}/config.ts`)).toContain(name);
  });
});
