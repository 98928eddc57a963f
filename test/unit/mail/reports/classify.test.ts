import { describe, expect, it } from "vitest";
import { classifyFailure } from "../../../../src/mail/reports/classify.ts";
import { HOSTILE_FAILURES } from "../../../mail/hostile-inputs.ts";
import { DEAD, DEAD_DOMAIN, type FailureRow } from "../../../mail/reports/failures.ts";
import { COLLECTED } from "../../../mail/reports/failures-collected.ts";
import { NOT_DEAD } from "../../../mail/reports/failures-other.ts";

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

  it.each([
    [null, "450 Requested mail action not taken: mailbox unavailable"],
    ["5.0.0", "450 Requested mail action not taken: mailbox unavailable"],
    ["5.0.0", "450 mailbox unavailable"],
    ["5.0.0", "451 user unknown, try again"],
    ["5.1.1", "450 <b@y.test>: Recipient address rejected: User unknown in local recipient table"],
    ["5.5.0", "host mx.y.test[192.0.2.1] said: 450 no such user here (in reply to RCPT TO command)"],
    ["5.0.0", "SMTP error from remote mail server after RCPT TO:<b@y.test>: 450 no such user: retry timeout exceeded"],
    ["5.0.0", "450 5.0.0 mailbox unavailable"],
    ["5.1.1", "<<< 450 mailbox disabled"],
    ["5.0.0", "450-mailbox unavailable 450 user unknown"],
    [null, "4.2.1 mailbox disabled"],
  ])("takes a temporary reply for no evidence about the address: %s, %s", (status, text) => {
    for (const phase of [null, "rcpt", "data"] as const) expect(classifyFailure({ status, text, phase })).toBe("other");
  });

  it.each([
    ["5.1.1", "550 5.1.1 user unknown; 450 messages of it are queued"],
    ["5.0.0", "550 no such user (the first attempt had: 450 no)"],
    ["5.1.1", "450 mailbox unavailable, then: 550 5.1.1 no such user"],
    ["5.0.0", "550 mailbox for customer 450 unavailable"],
  ])("takes a permanent reply for evidence, whatever numbers its text has: %s, %s", (status, text) => {
    expect(classifyFailure({ status, text, phase: null })).toBe("address");
  });

  it("reads the words of the first 2,000 characters of a text only", () => {
    const reply = "550 no such user";
    const behind = (length: number) =>
      classifyFailure({ status: "5.0.0", text: `${" ".repeat(length)}${reply}`, phase: null });
    expect([behind(2_000 - reply.length), behind(2_000)]).toEqual(["address", "other"]);
    for (const text of HOSTILE_FAILURES)
      expect(classifyFailure({ status: null, text, phase: null })).toBe(
        classifyFailure({ status: null, text: text.slice(0, 2_000), phase: null }),
      );
  });
});

function expectedClass(row: FailureRow) {
  return DEAD.includes(row) ? "address" : DEAD_DOMAIN.includes(row) ? "domain" : "other";
}
