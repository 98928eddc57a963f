import { describe, expect, it } from "vitest";
import { classifyFailure } from "../../../src/mail/reports/classify.ts";
import { DEAD, DEAD_DOMAIN, type FailureRow, NOT_DEAD } from "./failures.ts";

const classify = ([, status, text]: FailureRow) => classifyFailure({ status, text, phase: null });

describe.each([
  ["address", DEAD],
  ["domain", DEAD_DOMAIN],
  ["other", NOT_DEAD],
] as const)("a failure of class %s", (expected, rows) => {
  it.each(rows.map((row) => [row[0], row[2], row] as const))("%s: %s", (_system, _text, row) => {
    expect(classify(row)).toBe(expected);
  });
});
