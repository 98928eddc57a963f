import { describe, expect, it } from "vitest";
import { moveRecipient } from "../../src/emails/rules.ts";
import { toComplaintOutcome, toReportOutcome } from "../../src/feedback/to-outcome.ts";
import { classifyPhrases, HARD_PHRASES, NON_COMPLAINT_TYPES, SOFT_PHRASES } from "../../src/mail/reports/classify.ts";
import type { Action, Complaint, ReportedRecipient } from "../../src/mail/reports/feedback.ts";

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
  it.each(HARD)("%s: hard", (status) => {
    expect(toReportOutcome(reported(status))).toMatchObject({
      on: "dsn-failed",
      suppress: "bounce",
      metadata: { bounce_type: "hard" },
    });
  });

  it.each([...SOFT, ...TRANSIENT])("%s: soft, whatever the text says", (status) => {
    const fact = toReportOutcome(reported(status, "user unknown"));
    expect(fact).toMatchObject({ on: "dsn-failed", metadata: { bounce_type: "soft" } });
    expect(fact.suppress).toBeUndefined();
  });

  it.each([null, "5.0.0"])("with status %s is classified by the text", (status) => {
    for (const phrase of HARD_PHRASES) {
      expect(toReportOutcome(reported(status, `550 X ${phrase.toUpperCase()} y`)).suppress, phrase).toBe("bounce");
    }
    for (const { says } of SOFT_PHRASES) {
      expect(toReportOutcome(reported(status, `550 user unknown: ${says}`)).suppress, says).toBeUndefined();
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
  ])("with status %s and the text %j: hard is %s", (status, words, hard) => {
    expect(toReportOutcome(reported(status, words)).suppress === "bounce").toBe(hard);
  });

  it("puts the status code and the text into its event", () => {
    expect(toReportOutcome(reported("5.0.0", "550 5.1.1 no")).metadata).toEqual({
      source: "dsn",
      dsn: "5.1.1",
      response: "550 5.1.1 no",
      relay: "mx.y.test",
      bounce_type: "hard",
    });
  });
});

describe("a recipient that did not fail", () => {
  it("keeps its state on a delay", () => {
    const fact = toReportOutcome(reported("4.4.1", "user unknown", "delayed"));
    expect(fact).toMatchObject({ on: "deferred" });
    expect(fact.suppress).toBeUndefined();
    expect(moveRecipient("sent", fact.on)).toEqual({ to: "sent", event: "deferred" });
  });

  it.each<Action>(["delivered", "relayed", "expanded"])("is delivered when %s", (action) => {
    expect(moveRecipient("sent", toReportOutcome(reported("2.0.0", null, action)).on).to).toBe("delivered");
  });
});

describe("an abuse report", () => {
  it.each(["abuse", "fraud", "opt-out", "other", "x-new"])("of type %s is a complaint", (feedbackType) => {
    expect(toComplaintOutcome({ ...COMPLAINT, feedbackType })).toMatchObject({
      on: "complaint",
      suppress: "complaint",
    });
  });

  it.each(NON_COMPLAINT_TYPES)("of type $feedbackType is not a complaint: $because", ({ feedbackType }) => {
    expect(toComplaintOutcome({ ...COMPLAINT, feedbackType })).toBeNull();
  });
});

describe("classifyPhrases", () => {
  it("contains only normalized and distinct phrases", () => {
    const all = [...HARD_PHRASES, ...SOFT_PHRASES.map(({ says }) => says)];
    for (const phrase of all) expect(phrase).toBe(phrase.toLowerCase().replace(/\s+/g, " ").trim());
    expect(new Set(all).size).toBe(all.length);
  });

  it("returns null for unknown text", () => {
    for (const words of ["", "550 no", "Bob is away"]) expect(classifyPhrases(words)).toBeNull();
  });
});
