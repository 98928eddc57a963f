import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { files } from "../../src/http/ui/generated/files.ts";

const root = path.join(import.meta.dirname, "../..");

describe("the files of the pages", () => {
  it("are bundled from the files in client/", async () => {
    const args = ["dev/setup.mjs", "dev/client.ts", "--check"];
    await expect(promisify(execFile)(process.execPath, args, { cwd: root })).resolves.toBeTruthy();
  });

  it("have a script smaller than 10 KB after gzip", async () => {
    const script = await readFile(path.join(root, "public", files.script), "utf8");
    expect(script.length).toBeGreaterThan(1_000);
    expect(gzipSync(script).byteLength).toBeLessThan(10_000);
  });
});
