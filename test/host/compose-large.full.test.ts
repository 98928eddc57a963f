import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";

const SIZE = 24 * 1024 * 1024;

describe("a message with an attachment of 24 MiB", () => {
  it("takes at most 60 MB more resident memory than the same message with an empty attachment, through both reads", {
    timeout: 120_000,
  }, () => {
    const empty = peakOf(0);
    const large = peakOf(SIZE);
    expect(large.bytes).toBe(large.size);
    expect(large.bytes).toBeGreaterThan((SIZE / 57) * 78);
    // The budget of memory is in docs/performance.md. The figure includes the source's garbage and the compiler's memory.
    expect((large.peakKib - empty.peakKib) / 1024).toBeLessThan(60);
  });
});

describe("a message with 5,000,000 line ends", () => {
  it("takes at most 64 MB more resident memory than one without", { timeout: 120_000 }, () => {
    const [none, many] = [peakOf(0), peakOf(0, 5_000_000)];
    expect(many.bytes).toBe(many.size);
    expect(many.bytes).toBeGreaterThan(10_000_000);
    expect((many.peakKib - none.peakKib) / 1024).toBeLessThan(64);
  });
});

function peakOf(size: number, lineEnds = 0): { size: number; bytes: number; peakKib: number } {
  const script = path.join(import.meta.dirname, "support/peak-memory.ts");
  const child = spawnSync(process.execPath, [script, String(size), String(lineEnds)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as { size: number; bytes: number; peakKib: number };
}
