import { describe, expect, it } from "vitest";
import { NON_COMPLAINT_TYPES } from "../../../../src/mail/reports/complaint.ts";
import {
  ADDRESS_PHRASES,
  CLEAR_ADDRESS_PHRASES,
  DOMAIN_PHRASES,
} from "../../../../src/mail/reports/failure-phrases.ts";
import type { Action, Complaint, ReportedRecipient } from "../../../../src/mail/reports/feedback.ts";
import { OTHER_REASONS } from "../../../../src/mail/reports/other-reasons.ts";
import { transitionOf } from "../../../../src/sending/emails/rules.ts";
import { toComplaintOutcome, toReportOutcome } from "../../../../src/sending/feedback/to-outcome.ts";
import { ADDRESS_EXAMPLES, DOMAIN_EXAMPLES, OTHER_EXAMPLES } from "../../../mail/reports/phrases.ts";

function reported(
  status: string | null,
  diagnostic: string | null = null,
  action: Action = "failed",
): ReportedRecipient {
  return {
    recipient: "bob@y.test",
    finalRecipient: null,
    action,
    status,
    diagnostic,
    remoteMta: "mx.y.test",
    phase: null,
  };
}

const COMPLAINT: Complaint = {
  kind: "complaint",
  feedbackType: "abuse",
  originalRecipient: "bob@y.test",
  originalMailFrom: null,
  originalMessageId: null,
  originalFeedbackId: null,
  userAgent: "A/1",
  sourceIp: null,
};

const HARD = ["5.1.1", "5.1.3", "5.1.4", "5.1.6", "5.1.10", "5.2.1", "5.7.17"];
const DOMAIN = ["5.1.2", "5.1.351", "5.4.4", "5.4.310", "5.4.312"];
const SOFT = [
  "5.1.5",
  "5.1.9",
  "5.1.7",
  "5.1.8",
  "5.1.11",
  "5.2.2",
  "5.2.3",
  "5.2.4",
  "5.3.4",
  "5.4.6",
  "5.4.7",
  "5.6.7",
  "5.7.2",
];
const TRANSIENT = ["4.1.1", "4.2.1", "4.2.2", "4.4.1", "4.4.7", "4.0.0"];

describe("a failed recipient", () => {
  it.each([null, "5.0.0", "5.1.1"])("with a temporary reply below the status %s: soft, not suppressed", (status) => {
    const text = "450 Requested mail action not taken: mailbox unavailable";
    const outcome = toReportOutcome(reported(status, text));
    expect(outcome).toMatchObject({ on: "dsn-failed", metadata: { bounce_type: "soft" } });
    expect(outcome).not.toHaveProperty("suppress");
  });

  it.each([
    ["5.0.0", "450 4.2.1 mailbox disabled", "4.2.1"],
    ["5.0.0", "552 5.2.2 mailbox full", "5.2.2"],
    ["4.0.0", "550 5.1.1 unknown", "5.1.1"],
    ["5.1.1", "550 5.0.0 failed", "5.1.1"],
    ["5.2.2", "450 4.0.0 failed", "5.2.2"],
    ["5.0.0", "450 4.0.0 failed", "5.0.0"],
  ])("with status %s and reply %s has the code %s, the precise one", (status, text, dsn) => {
    expect(toReportOutcome(reported(status, text)).metadata).toMatchObject({ dsn });
  });

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

  it.each(DOMAIN)("%s: a failure of the domain, which suppresses at the second report", (status) => {
    expect(toReportOutcome(reported(status))).toMatchObject({
      on: "dsn-failed",
      suppress: "domain-failure",
      metadata: { bounce_type: "soft" },
    });
  });

  it.each([null, "5.0.0"])("with status %s is classified by the text", (status) => {
    for (const example of ADDRESS_EXAMPLES) {
      expect(toReportOutcome(reported(status, `550 X ${example.toUpperCase()} y`)).suppress, example).toBe("bounce");
    }
    for (const example of DOMAIN_EXAMPLES) {
      expect(toReportOutcome(reported(status, `550 ${example}`)).suppress, example).toBe("domain-failure");
    }
    for (const [, example] of OTHER_EXAMPLES) {
      expect(toReportOutcome(reported(status, `550 user unknown: ${example}`)).suppress, example).toBeUndefined();
    }
  });

  it.each(OTHER_EXAMPLES)("is soft for %s (%s), whatever the code says", (_about, example) => {
    expect(toReportOutcome(reported("5.1.1", `550 5.1.1 <bob@y.test>: ${example}`)).suppress).toBeUndefined();
  });

  it.each<[status: string | null, text: string | null, suppress: string | undefined]>([
    ["5.0.0", "550 5.1.1 no", "bounce"],
    ["5.0.0", "550 5.7.1 user unknown", "bounce"],
    ["5.7.1", "550 5.7.1 No such user!", "bounce"],
    ["5.7.1", "550 5.7.1 mailbox unavailable", undefined],
    ["5.7.1", "550 5.7.1 user unknown or blocked by policy", undefined],
    ["5.7.25", "550 5.7.25 user unknown", undefined],
    ["5.0.0", "451 4.1.1 greylisted", undefined],
    ["5.5.0", "550 5.5.0 Requested action not taken: mailbox unavailable", "bounce"],
    ["5.1.1", "552 5.2.2 mailbox full", undefined],
    ["5.1.1", "552 5.2.2 no", undefined],
    ["5.1.0", "blocked by policy", undefined],
    ["5.1.0", null, undefined],
    [null, null, undefined],
    [null, "550 no", undefined],
    [null, "553 no", undefined],
    [null, "554 no", undefined],
    [null, "450 mailbox busy", undefined],
    [null, "host 192.0.2.550 said no", undefined],
    [null, "550 message content rejected (in reply to end of DATA command)", undefined],
    [null, "the recipient\u2019s account  has been\ndisabled", "bounce"],
    [null, "550 host unknown", "domain-failure"],
  ])("with status %s and the text %j: suppress is %s", (status, text, suppress) => {
    expect(toReportOutcome(reported(status, text)).suppress).toBe(suppress);
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
    expect(transitionOf("sent", fact.on)).toEqual({ to: "sent", event: "deferred" });
  });

  it.each<Action>(["delivered", "relayed", "expanded"])("is delivered when %s", (action) => {
    expect(transitionOf("sent", toReportOutcome(reported("2.0.0", null, action)).on).to).toBe("delivered");
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

describe("the phrases", () => {
  const tables = [
    [[...ADDRESS_PHRASES, ...CLEAR_ADDRESS_PHRASES], ADDRESS_EXAMPLES],
    [DOMAIN_PHRASES, DOMAIN_EXAMPLES],
    [OTHER_REASONS, OTHER_EXAMPLES.map(([, example]) => example)],
  ] as const;

  it("have an example each, and match every example", () => {
    for (const [phrases, examples] of tables) {
      const texts = examples.map((example) => example.toLowerCase().replace("b@y.test", "@"));
      for (const phrase of phrases)
        expect(
          texts.some((text) => phrase.pattern.test(text)),
          String(phrase.pattern),
        ).toBe(true);
      for (const text of texts)
        expect(
          phrases.some(({ pattern }) => pattern.test(text)),
          text,
        ).toBe(true);
    }
  });

  it("name who writes them, and what a failure with them is about", () => {
    for (const [index, rows] of tables.map(([phrases]) => phrases).entries()) {
      for (const { source, class: about } of rows) {
        expect(source).toMatch(/^[A-Z]\S/);
        expect(about).toBe((["address", "domain", "other"] as const)[index]);
      }
    }
  });

  it("match no text without a reason", () => {
    for (const text of ["", "550 no", "bob is away", "requested action not taken"]) {
      for (const phrase of tables.flatMap(([phrases]) => phrases))
        expect(phrase.pattern.test(text), `${phrase.pattern} ${text}`).toBe(false);
    }
  });
});
