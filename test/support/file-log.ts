/** Keeps what the Worker and the tests log, and hands the log of each file to dev/failures-at-once.ts after its tests. */
import { afterAll } from "vitest";
import type {} from "../../dev/failures-at-once.ts";

/** The newest lines of a file that are kept. */
const KEPT = 1_000;

let lines: string[] = [];

for (const method of ["log", "info", "warn", "error", "debug"] as const) {
  console[method] = (...values: unknown[]) => {
    lines.push(values.map((value) => (typeof value === "string" ? value : String(value))).join(" "));
    if (lines.length > 2 * KEPT) lines = lines.slice(-KEPT);
  };
}

/** Hands over the log of the file that is running, and begins the next one with its end. */
export function reportLog(): void {
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the first parameter of a hook in its source.
  afterAll(({}, suite) => {
    suite.file.meta.log = lines.slice(-KEPT);
    lines = [];
  });
}
