import { describe, expect, it } from "vitest";
import { moveRecipient } from "../../src/emails/rules.ts";
import { toComplaintFact, toFact } from "../../src/feedback/to-outcome.ts";
import type { Action, Complaint, ReportedRecipient } from "../../src/mail/reports/feedback.ts";
import { HARD_PHRASES, NO_COMPLAINT, readPhrases, SOFT_PHRASES } from "../../src/mail/reports/rules.ts";

function reported(
  status: string | null,
  diagnostic: string | null = null,
  action: Action = "failed",
): ReportedRecipient {
  return { recipient: "bob@y.test", finalRecipient: null, action, status, diagnostic, remoteMta: "mx.y.test" };
}

const COMPLAINT: Complaint = {
  kind: "complaint",
  feedbackType: "abuse",
  originalRecipient: "bob@y.test",
  originalMailFrom: null,
  originalMessageId: null,
  userAgent: "A/1",
  sourceIp: null,
};

const HARD = ["5.1.0", "5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.1.5", "5.1.6", "5.1.9", "5.1.10", "5.2.1"];
const SOFT = [
  "5.1.7",
  "5.1.8",
  "5.1.11",
  "5.2.2",
  "5.2.3",
  "5.2.4",
  "5.3.4",
  "5.4.4",
  "5.4.6",
  "5.4.7",
  "5.6.7",
  "5.7.1",
];
const TRANSIENT = ["4.1.1", "4.2.1", "4.2.2", "4.4.1", "4.4.7", "4.0.0"];

describe("a failed recipient", () => {
  it.each(HARD)("%s: the address does not work", (status) => {
    expect(toFact(reported(status))).toMatchObject({
      on: "dsn-failed",
      suppress: "bounce",
      metadata: { bounce_type: "hard" },
    });
  });

  it.each([...SOFT, ...TRANSIENT])("%s: says nothing about the address, whatever the words", (status) => {
    const fact = toFact(reported(status, "user unknown"));
    expect(fact).toMatchObject({ on: "dsn-failed", metadata: { bounce_type: "soft" } });
    expect(fact.suppress).toBeUndefined();
  });

  it.each([null, "5.0.0"])("with status %s is judged by the words", (status) => {
    for (const phrase of HARD_PHRASES) {
      expect(toFact(reported(status, `550 X ${phrase.toUpperCase()} y`)).suppress, phrase).toBe("bounce");
    }
    for (const { says } of SOFT_PHRASES) {
      expect(toFact(reported(status, `550 user unknown: ${says}`)).suppress, says).toBeUndefined();
    }
  });

  it.each<[status: string | null, words: string | null, hard: boolean]>([
    ["5.0.0", "550 5.1.1 no", true],
    ["5.0.0", "550 5.7.1 user unknown", false],
    ["5.0.0", "451 4.1.1 greylisted", false],
    ["5.5.0", "550 5.5.0 Requested action not taken: mailbox unavailable", true],
    ["5.1.1", "552 5.2.2 mailbox full", true],
    ["5.1.0", "blocked by policy", false],
    [null, null, false],
    [null, "550 no", true],
    [null, "553 no", true],
    [null, "554 no", false],
    [null, "450 mailbox busy", false],
    [null, "host 192.0.2.550 said no", false],
    [null, "550 message content rejected (in reply to end of DATA command)", false],
    [null, "the recipient\u2019s account  has been\ndisabled", true],
  ])("with status %s and the words %j: hard is %s", (status, words, hard) => {
    expect(toFact(reported(status, words)).suppress === "bounce").toBe(hard);
  });

  it("tells its event the code and the words", () => {
    expect(toFact(reported("5.0.0", "550 5.1.1 no")).metadata).toEqual({
      source: "dsn",
      dsn: "5.1.1",
      response: "550 5.1.1 no",
      relay: "mx.y.test",
      bounce_type: "hard",
    });
  });
});

describe("a recipient who has not failed", () => {
  it("is not moved by a delay", () => {
    const fact = toFact(reported("4.4.1", "user unknown", "delayed"));
    expect(fact).toMatchObject({ on: "deferred" });
    expect(fact.suppress).toBeUndefined();
    expect(moveRecipient("sent", fact.on)).toEqual({ to: "sent", event: "deferred" });
  });

  it.each<Action>(["delivered", "relayed", "expanded"])("is delivered when %s", (action) => {
    expect(moveRecipient("sent", toFact(reported("2.0.0", null, action)).on).to).toBe("delivered");
  });
});

describe("an abuse report", () => {
  it.each(["abuse", "fraud", "opt-out", "other", "x-new"])("of type %s is a complaint", (feedbackType) => {
    expect(toComplaintFact({ ...COMPLAINT, feedbackType })).toMatchObject({ on: "complaint", suppress: "complaint" });
  });

  it.each(NO_COMPLAINT)("of type $feedbackType is none: $because", ({ feedbackType }) => {
    expect(toComplaintFact({ ...COMPLAINT, feedbackType })).toBeNull();
  });
});

describe("readPhrases", () => {
  it("has phrases in the form it looks for", () => {
    const all = [...HARD_PHRASES, ...SOFT_PHRASES.map(({ says }) => says)];
    for (const phrase of all) expect(phrase).toBe(phrase.toLowerCase().replace(/\s+/g, " ").trim());
    expect(new Set(all).size).toBe(all.length);
  });

  it("says nothing of words it does not know", () => {
    for (const words of ["", "550 no", "Bob is away"]) expect(readPhrases(words)).toBeNull();
  });
});
