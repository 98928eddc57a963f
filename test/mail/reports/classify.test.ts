import { describe, expect, it } from "vitest";
import { classifyFailure } from "../../../src/mail/reports/classify.ts";
import { DEAD, DEAD_DOMAIN, type FailureRow } from "./failures.ts";
import { COLLECTED } from "./failures-collected.ts";
import { NOT_DEAD } from "./failures-other.ts";

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

describe("a reply that was collected after the rules were written", () => {
  it.each(COLLECTED.map(([expected, row]) => [row[2], expected, row] as const))("%s: %s", (_text, expected, row) => {
    expect(classify(row)).toBe(expected);
  });
});

describe("the classification", () => {
  it("finds 98 % of all failures, suppresses no good address and finds 90 % of the dead ones", () => {
    const tables = [...DEAD, ...DEAD_DOMAIN, ...NOT_DEAD].map((row) => [expectedClass(row), row] as const);
    const all = [...tables, ...COLLECTED];
    const score = (expected: string) => {
      const rows = all.filter(([one]) => one === expected);
      return { right: rows.filter(([one, row]) => classify(row) === one).length, total: rows.length };
    };
    const scores = { address: score("address"), domain: score("domain"), other: score("other") };
    console.info("failures, right of total", JSON.stringify(scores));
    expect(scores.other.right).toBe(scores.other.total);
    expect(scores.address.right / scores.address.total).toBeGreaterThanOrEqual(0.9);
    const right = scores.address.right + scores.domain.right + scores.other.right;
    expect(right / all.length).toBeGreaterThanOrEqual(0.98);
  });

  it("reads a refusal of our own session by its phase, code and text", () => {
    const refuse = (text: string, phase: "rcpt" | "mail" = "rcpt") => classifyFailure({ status: null, text, phase });
    expect(refuse("550 5.1.1 no such user")).toBe("address");
    expect(refuse("550 5.1.1 no such user", "mail")).toBe("other");
    expect(refuse("550 no")).toBe("other");
    expect(refuse("556 5.1.10 null MX")).toBe("domain");
  });

  it("takes time linear to the length of the text", () => {
    for (const piece of ["user ", "a@", "mailbox a ", "5.1.1 ", ">>> DATA ", "not ", "@ is "]) {
      const started = performance.now();
      classifyFailure({ status: null, text: piece.repeat(100_000), phase: null });
      expect(performance.now() - started).toBeLessThan(200);
    }
  });
});

function expectedClass(row: FailureRow) {
  return DEAD.includes(row) ? "address" : DEAD_DOMAIN.includes(row) ? "domain" : "other";
}
