import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptWaitsMs, waitAfter } from "../../../../src/sending/delivery/rules.ts";
import {
  emailTransitions,
  eventTypes,
  limits,
  type RecipientFact,
  type RecipientState,
  recipientStates,
  recipientTransitions,
  statuses,
  statusOf,
  storedStatuses,
  transitionOf,
} from "../../../../src/sending/emails/rules.ts";
import { headerIssue } from "../../../../src/sending/emails/send/field-rules.ts";
import { type Fact, mergeFacts } from "../../../../src/sending/emails/timeline/merge.ts";
import type { EmailState } from "../../../../src/sending/emails/timeline/state.ts";

const MINUTE = 60_000;

/**
 * The transitions of one recipient written out: for each fact its event and the state it leads to
 * (docs/contract/emails.md#outcomes-of-recipients).
 */
const table: Record<RecipientFact, { event: string; moves: Partial<Record<RecipientState, RecipientState>> }> = {
  held: { event: "sent", moves: { queued: "held" } },
  "accepted-dsn-to-come": {
    event: "sent",
    moves: { queued: "sent", held: "sent", failed: "sent", cancelled: "sent" },
  },
  "accepted-final": {
    event: "delivered",
    moves: { queued: "delivered", held: "delivered", sent: "delivered", failed: "delivered", cancelled: "delivered" },
  },
  deferred: { event: "deferred", moves: { held: "queued" } },
  "recipient-refused": {
    event: "bounced",
    moves: { queued: "bounced", held: "bounced", sent: "bounced", delivered: "bounced" },
  },
  "message-refused": { event: "rejected", moves: { queued: "rejected", held: "rejected" } },
  "gave-up": { event: "failed", moves: { queued: "failed", held: "failed" } },
  suppressed: { event: "suppressed", moves: { queued: "suppressed", held: "suppressed" } },
  cancelled: { event: "cancelled", moves: { queued: "cancelled", held: "cancelled" } },
  "dsn-delivered": {
    event: "delivered",
    moves: { queued: "delivered", held: "delivered", sent: "delivered", failed: "delivered", cancelled: "delivered" },
  },
  "dsn-failed": {
    event: "bounced",
    moves: {
      ...{ queued: "bounced", held: "bounced", sent: "bounced" },
      ...{ delivered: "bounced", failed: "bounced", cancelled: "bounced" },
    },
  },
  complaint: {
    event: "complained",
    moves: {
      ...{ queued: "complained", held: "complained", sent: "complained", delivered: "complained" },
      ...{ bounced: "complained", failed: "complained", cancelled: "complained" },
    },
  },
  unsubscribe: { event: "unsubscribed", moves: {} },
};
const facts = Object.keys(table) as RecipientFact[];

describe("statuses, event types and limits", () => {
  it("statuses are nine, of which sending is shown and never stored", () => {
    const stored = ["scheduled", "queued", "sent", "delivered", "bounced", "rejected", "failed", "cancelled"];
    expect([...storedStatuses].sort()).toEqual(stored.sort());
    expect([...statuses].sort()).toEqual([...stored, "sending"].sort());
  });

  it("event types are fifteen", () => {
    const words =
      "queued scheduled sent delivered deferred bounced rejected failed cancelled open click complained unsubscribed retried suppressed";
    expect([...eventTypes]).toEqual(words.split(" "));
  });

  it("limits are those of the contract, written out again", () => {
    expect(limits).toMatchObject({
      recipients: 50,
      customHeaders: 50,
      customHeaderBytes: 16_384,
      lineBytes: 998,
      tags: 10,
      tagCharacters: 64,
      attachmentBytes: 25_165_824,
      scheduleMinMs: MINUTE,
      scheduleMaxMs: 30 * 24 * 60 * MINUTE,
    });
  });
});

describe("transitions of a whole email", () => {
  it("are exactly those of the tables", () => {
    expect(emailTransitions.map(({ from, on, to, event }) => `${from} + ${on} = ${to}, ${event}`)).toEqual([
      "scheduled + due = queued, queued",
      "scheduled + send-now = queued, queued",
      "scheduled + cancel = cancelled, cancelled",
      "scheduled + sender-lost = failed, failed",
      "scheduled + domain-moved = cancelled, cancelled",
    ]);
  });
});

describe("transitions of one recipient", () => {
  for (const fact of facts) {
    const { event, moves } = table[fact];
    const named = Object.entries(moves).map(([from, to]) => `${from} to ${to}`);
    it(`${fact} moves ${named.join(", ") || "no state"}, keeps the others, and writes ${event}`, () => {
      for (const state of recipientStates) {
        expect(transitionOf(state, fact), state).toEqual({ to: moves[state] ?? state, event });
      }
    });
  }

  it("uses only facts of this table", () => {
    expect([...new Set(recipientTransitions.map(({ on }) => on))].sort()).toEqual([...facts].sort());
  });
});

describe("the status of an email", () => {
  const rows: [RecipientState[], string][] = [
    [["queued"], "queued"],
    [["sent"], "sent"],
    [["held"], "sent"],
    [["held", "bounced"], "sent"],
    [["held", "queued"], "queued"],
    [["delivered"], "delivered"],
    [["complained"], "delivered"],
    [["bounced"], "bounced"],
    [["rejected"], "rejected"],
    [["failed"], "failed"],
    [["suppressed"], "rejected"],
    [["suppressed", "suppressed"], "rejected"],
    [["suppressed", "delivered"], "delivered"],
    [["suppressed", "failed"], "failed"],
    [["queued", "bounced"], "queued"],
    [["queued", "sent", "delivered"], "queued"],
    [["sent", "bounced", "rejected", "failed", "delivered"], "sent"],
    [["bounced", "rejected", "failed", "delivered", "complained"], "bounced"],
    [["rejected", "failed", "delivered"], "rejected"],
    [["failed", "delivered"], "failed"],
    [["complained", "failed"], "failed"],
    [["cancelled"], "cancelled"],
    [["cancelled", "suppressed"], "cancelled"],
    [["cancelled", "delivered"], "delivered"],
  ];
  for (const [states, status] of rows) {
    it(`of ${states.join(", ")} is ${status}`, () => {
      expect(statusOf(states)).toBe(status);
      expect(statusOf([...states].reverse())).toBe(status);
    });
  }
});

/** Rank of a state in the merge rule; a late fact never lowers it. */
const rank: Record<RecipientState, number> = {
  ...{ queued: 0, held: 0, failed: 1, sent: 2, delivered: 3, bounced: 4, complained: 5 },
  ...{ suppressed: 9, rejected: 9, cancelled: 1 },
};

function anEmail(recipients: number): EmailState {
  return {
    ...{ n: 1, workspace: 1, id: "e", status: "queued", attempts: 0, version: 3, dueAt: 5, outboxId: null },
    ...{
      sentAt: null,
      deliveredAt: null,
      createdAt: 0,
      openedCount: 0,
      clickedCount: 0,
      hits: [],
      retriedAt: null,
      events: [{ id: "first", type: "queued", at: 0 }],
    },
    recipients: Array.from({ length: recipients }, (_, i) => ({
      kind: "to" as const,
      email: `R${i}@example.org`,
      state: "queued" as const,
    })),
  };
}

const arbitraryFacts = fc.array(
  fc.record({ who: fc.nat(2), on: fc.constantFrom(...facts), at: fc.integer({ min: 1, max: 99 }) }),
  { maxLength: 12 },
);
const toFacts = (list: { who: number; on: RecipientFact; at: number }[]): Fact[] =>
  list.map(({ who, on, at }, i) => ({ id: `f${i}`, recipient: `r${who}@example.org`, on, at }));
const seeded = { seed: 20261121, numRuns: 500 };

describe("merging facts", () => {
  it("never lowers the state of a recipient, and writes each fact once", () => {
    fc.assert(
      fc.property(arbitraryFacts, (list) => {
        let state = anEmail(3);
        for (const fact of toFacts(list)) {
          const before = state;
          state = mergeFacts(state, [fact], 1).state;
          for (const [i, { state: now }] of state.recipients.entries()) {
            expect(rank[now]).toBeGreaterThanOrEqual(rank[before.recipients[i]?.state ?? "queued"]);
          }
          expect(state.status).toBe(statusOf(state.recipients.map((recipient) => recipient.state)));
        }
        expect(state.events).toHaveLength(1 + list.length);
        expect(state.version).toBe(3 + list.length);
      }),
      seeded,
    );
  });

  it("changes nothing when the same facts are merged again", () => {
    fc.assert(
      fc.property(arbitraryFacts, (list) => {
        const once = mergeFacts(anEmail(3), toFacts(list), 1).state;
        const again = mergeFacts(once, toFacts(list), 1);
        expect(again).toEqual({
          state: once,
          rollups: [],
          suppress: [],
          unsuppress: [],
          confirmed: [],
          softBounces: [],
          added: [],
          changed: false,
        });
      }),
      seeded,
    );
  });

  it("keeps a cancelled email cancelled", () => {
    const cancelled: EmailState = { ...anEmail(1), status: "cancelled" };
    const fact: Fact = { id: "f", recipient: "r0@example.org", on: "accepted-final", at: 1 };
    expect(mergeFacts(cancelled, [fact], 1).state.status).toBe("cancelled");
  });
});

describe("waits between attempts", () => {
  it("are 1 m, 5 m, 30 m, 2 h, 6 h, 12 h and 27 h with at most 10 % jitter, and none after the eighth attempt", () => {
    const minutes = [1, 5, 30, 120, 360, 720, 1620];
    for (const [index, wait] of minutes.entries()) {
      const [least, middle, most] = [0, 0.5, 1].map((random) => waitAfter(index + 1, random) ?? -1) as [
        number,
        number,
        number,
      ];
      expect(middle).toBe(wait * MINUTE);
      expect(least).toBeGreaterThanOrEqual(wait * MINUTE * 0.9);
      expect(most).toBeLessThanOrEqual(wait * MINUTE * 1.1);
      expect(most - least).toBeGreaterThanOrEqual(wait * MINUTE * 0.09);
    }
    expect(attemptWaitsMs.length + 1).toBe(8);
    for (const attempt of [8, 9, 100]) expect(waitAfter(attempt, 0.5)).toBeNull();
  });
});

describe("custom headers", () => {
  const owned =
    "From To Cc Bcc Reply-To Subject Date Message-ID MIME-Version Content-Type Content-Transfer-Encoding Content-X DKIM-Signature DKIM-X ARC-Seal ARC-Message-Signature Authentication-Results Received Return-Path Resent-From Resent-Message-ID Sender";
  it("that only the service writes are refused in any letter case", () => {
    for (const name of owned.split(" ")) {
      for (const spelling of [name, name.toUpperCase(), name.toLowerCase()]) {
        expect(headerIssue(spelling, "x"), spelling).toContain("set by the service");
      }
    }
  });

  it("of other names are accepted, similar ones included", () => {
    const fine =
      "X-From From-X Subjects X-Content-Type Contents In-Reply-To References List-Unsubscribe List-Id Precedence Auto-Submitted Importance X";
    for (const name of fine.split(" ")) expect(headerIssue(name, "x"), name).toBeNull();
  });

  it("have names of 1 to 76 letters, digits and hyphens", () => {
    for (const name of ["", " X", "X ", "X:", "X_Y", "X\r\nY", "Ü", "X\u0000", "__proto__", "x".repeat(77)]) {
      expect(headerIssue(name, "x"), name).not.toBeNull();
    }
    expect(headerIssue("x".repeat(76), "")).toBeNull();
  });

  it("have values without control characters but TAB, and lines of 998 bytes at most", () => {
    for (let code = 0; code < 32; code++) {
      const issue = headerIssue("X", `a${String.fromCharCode(code)}b`);
      if (code === 9) expect(issue).toBeNull();
      else expect(issue, String(code)).toContain("control characters");
    }
    expect(headerIssue("X", "\u007f")).not.toBeNull();
    expect(headerIssue("X-Y", "v".repeat(993))).toBeNull();
    expect(headerIssue("X-Y", "v".repeat(994))).toContain("998");
    expect(headerIssue("X-Y", "v ".repeat(200_000))).toBeNull();
    expect(headerIssue("X-Y", "ü".repeat(497))).toContain("998");
  });
});
