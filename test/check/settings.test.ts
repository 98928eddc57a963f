import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { readSettings } from "../../src/platform/settings/settings.ts";

const { workerOptions } = unstable_getMiniflareWorkerOptions(path.resolve("wrangler.toml"));
const variables = workerOptions.bindings as Record<string, string>;
const MASTER_KEYS = `1:${Buffer.alloc(32).toString("base64")}`;

describe("the variables in wrangler.toml", () => {
  it("have the values that the service takes without them", () => {
    expect(Object.keys(variables)).toEqual(expect.arrayContaining(["PUBLIC_URL", "SIGN_UP", "SYSTEM_MAILBOX"]));
    expect(readSettings({ ...variables, MASTER_KEYS })).toEqual(readSettings({ MASTER_KEYS }));
  });

  it("contain no secret", () => {
    expect(Object.keys(variables).filter((name) => /SECRET|KEYS|PASSWORD|TOKEN$/.test(name))).toEqual([]);
    expect(variables).not.toHaveProperty("EGRESS_URL");
  });
});

describe("docs/operating/settings.md", () => {
  it("has every setting of the source and of wrangler.toml, and no other", () => {
    const source = readFileSync(path.resolve("src/platform/settings/variables.ts"), "utf8");
    const manual = readFileSync(path.resolve("docs/operating/settings.md"), "utf8");
    const settings = [...source.matchAll(/^ {2}([A-Z][A-Z_]+): z\b/gm)].map(([, name = ""]) => name);
    expect(settings.length).toBeGreaterThan(30);
    const documented = [...manual.matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(([, name = ""]) => name);
    const known = [...new Set([...settings, ...Object.keys(variables)])];
    expect([...new Set(documented)].sort()).toEqual(known.sort());
  });
});

it("a plain `wrangler types` changes no file of Git: what it writes is ignored, and no configuration includes it", () => {
  const read = (file: string) => readFileSync(path.resolve(file), "utf8");
  expect(read(".gitignore").split("\n")).toContain("worker-configuration.d.ts");
  for (const file of ["tsconfig.json", "dev/tsconfig.json", "dev/tsconfig.all.json", "test/tsconfig.json"])
    expect(read(file), file).not.toContain("worker-configuration");
  expect(read("bindings.d.ts")).toContain("interface Env extends __BaseEnv_Env");
});
