import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");

describe("the script of the pages", () => {
  it("is bundled from the files in client/", async () => {
    const args = ["dev/setup.mjs", "dev/client.ts", "--check"];
    await expect(promisify(execFile)(process.execPath, args, { cwd: root })).resolves.toBeTruthy();
  });

  it("is smaller than 10 KB after gzip", async () => {
    const source = await readFile(path.join(root, "src/ui/generated/script.ts"), "utf8");
    const script = JSON.parse(/SCRIPT =\s+(".*");/.exec(source)?.[1] ?? '""') as string;
    expect(script.length).toBeGreaterThan(1_000);
    expect(gzipSync(script).byteLength).toBeLessThan(10_000);
  });
});
