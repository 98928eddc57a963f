import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  emailTransitions,
  type RecipientFact,
  type RecipientState,
  recipientTransitions,
  type StoredStatus,
  statusOf,
} from "../../../src/sending/emails/rules.ts";
import { type Fact, mergeFacts } from "../../../src/sending/emails/timeline/merge.ts";
import type { EmailState } from "../../../src/sending/emails/timeline/state.ts";
import { byExtent } from "../../support/extent.ts";

/**
 * Runs random commands against the state machine of emails. Every observed transition must be in a table of
 * docs/contract/emails.md#statuses or docs/contract/emails.md#outcomes-of-recipients.
 */

const SEQUENCES = byExtent({ quick: 200, full: 600, long: 10_000 });

/** Transitions of a whole email (docs/contract/emails.md#statuses), from status to status. */
const LEGAL: Record<string, string> = {
  scheduled: "queued cancelled failed",
  // An email of a broadcast that was cancelled.
  queued: "sent delivered bounced rejected failed cancelled",
  // The status is `sent` while an egress holds it for any recipient or any waits for a DSN, then the worst recipient state.
  // Deferred by the receiver, it waits for its next attempt.
  sent: "queued delivered bounced rejected failed cancelled",
  // A run that lost its lease may have sent to a recipient that another run cancelled.
  delivered: "bounced sent",
  // A complaint proves that a bounced recipient got the email; the other recipients then decide the status.
  bounced: "delivered sent rejected failed",
  // A DSN or a complaint can follow after the last attempt failed.
  failed: "sent delivered bounced",
  rejected: "sent bounced",
  cancelled: "",
};

const facts = [...new Set(recipientTransitions.map(({ on }) => on))];
const PEOPLE = ["a@example.org", "b@example.org", "c@example.org"];

type Command =
  | { do: "transition"; on: (typeof emailTransitions)[number]["on"] }
  | { do: "facts"; facts: { who: number; on: RecipientFact; twice: boolean }[]; late: boolean };

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("transition" as const),
      on: fc.constantFrom(...emailTransitions.map(({ on }) => on)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("facts" as const),
      facts: fc.array(
        fc.record({ who: fc.nat({ max: PEOPLE.length - 1 }), on: fc.constantFrom(...facts), twice: fc.boolean() }),
        { minLength: 1, maxLength: 4 },
      ),
      late: fc.boolean(),
    }),
  },
);

function anEmail(people: number, status: "scheduled" | "queued"): EmailState {
  return {
    n: 1,
    workspace: 1,
    id: "id",
    status,
    recipients: PEOPLE.slice(0, people).map((email) => ({ kind: "to", email, state: "queued" })),
    events: [],
    attempts: 0,
    version: 0,
    dueAt: 1,
    outboxId: null,
    sentAt: null,
    deliveredAt: null,
    createdAt: 0,
    openedCount: 0,
    clickedCount: 0,
    hits: [],
    retriedAt: null,
  };
}

/** Applies commands to one email as the service does, and calls `see` with every transition. */
class Run {
  state: EmailState;
  #next = 0;
  #known: Fact[] = [];

  constructor(state: EmailState) {
    this.state = state;
  }

  take(one: Command): void {
    const before = this.state;
    if (one.do === "transition") this.#transition(one.on);
    else this.#merge(one);
    this.#check(before);
  }

  #transition(on: Extract<Command, { do: "transition" }>["on"]): void {
    const transition = emailTransitions.find((row) => row.from === this.state.status && row.on === on);
    // Without a matching row the verb returns 404 and changes nothing.
    if (!transition) return;
    const { recipients } = this.state;
    const failed =
      transition.to === "failed" ? recipients.map((entry) => ({ ...entry, state: "failed" as const })) : recipients;
    this.state = { ...this.state, status: transition.to, recipients: failed, version: this.state.version + 1 };
  }

  #merge({ facts: given, late }: Extract<Command, { do: "facts" }>): void {
    // Delivery and feedback see an email only after its release.
    if (["scheduled", "cancelled"].includes(this.state.status)) return;
    const fresh = given.flatMap(({ who, on, twice }) => {
      const recipient = PEOPLE[who] ?? "";
      const fact: Fact = { id: String(this.#next++), recipient, on, at: this.#next };
      return twice ? [fact, fact] : [fact];
    });
    const again = late ? this.#known.slice(-3) : [];
    this.#known.push(...fresh);
    const unique = [...new Map([...again, ...fresh].map((fact) => [fact.id, fact])).values()];
    const { state } = mergeFacts(this.state, unique, 1);
    // Repeating the same facts changes nothing.
    expect(mergeFacts(state, unique, 1)).toMatchObject({ changed: false, rollups: [] });
    this.state = state;
  }

  #check(before: EmailState): void {
    const [from, to] = [before.status, this.state.status];
    if (from !== to) expect(LEGAL[from]?.split(" "), `${from} -> ${to}`).toContain(to);
    for (const [index, { state }] of this.state.recipients.entries())
      this.#checkRecipient(before.recipients[index]?.state, state);
    if (before.sentAt !== null) expect(this.state.sentAt).toBe(before.sentAt);
    if (before.deliveredAt !== null) expect(this.state.deliveredAt).toBe(before.deliveredAt);
    expect(this.state.version).toBeGreaterThanOrEqual(before.version);
  }

  /** Asserts that every step of a recipient within one set of facts is in the table. */
  #checkRecipient(from: RecipientState | undefined, to: RecipientState): void {
    if (from === undefined || from === to) return;
    const reached = new Set<RecipientState>([from]);
    for (let grown = true; grown; ) {
      grown = false;
      for (const transition of recipientTransitions) {
        if (!reached.has(transition.from) || reached.has(transition.to)) continue;
        reached.add(transition.to);
        grown = true;
      }
    }
    expect([...reached], `${from} -> ${to}`).toContain(to);
    // Only a held recipient returns to queued, and no state follows a complaint.
    if (from !== "held") expect(to).not.toBe("queued");
    expect(from).not.toBe("complained");
  }
}

describe("the state machine of emails", () => {
  it(`makes no illegal transition in ${SEQUENCES} random command sequences`, () => {
    const start = fc.record({
      people: fc.integer({ min: 1, max: PEOPLE.length }),
      status: fc.constantFrom("scheduled" as const, "queued" as const),
      commands: fc.array(command, { minLength: 1, maxLength: 30 }),
    });
    fc.assert(
      fc.property(start, ({ people, status, commands }) => {
        const run = new Run(anEmail(people, status));
        for (const one of commands) run.take(one);
      }),
      { numRuns: SEQUENCES },
    );
  });

  it("the final recipient state does not depend on the order of facts with a rank", () => {
    const last: Partial<Record<RecipientFact, RecipientState>> = { complaint: "complained" };
    fc.assert(
      fc.property(fc.shuffledSubarray(facts, { minLength: 1 }), (triggers) => {
        const inOrder = triggers.map((on, index): Fact => ({ id: `${on}`, recipient: "a@example.org", on, at: index }));
        const { state } = mergeFacts(anEmail(1, "queued"), inOrder, 1);
        const [recipient] = state.recipients;
        if (triggers.includes("complaint") && !triggers.includes("message-refused") && !triggers.includes("suppressed"))
          expect(recipient?.state).toBe(last.complaint);
      }),
      { numRuns: SEQUENCES },
    );
  });

  it("every status derived from recipient states is a stored status", () => {
    const states: RecipientState[] = [
      "queued",
      "sent",
      "delivered",
      "complained",
      "bounced",
      "rejected",
      "failed",
      "suppressed",
    ];
    const seen = new Set<StoredStatus>();
    for (const a of states) for (const b of states) seen.add(statusOf([a, b]));
    expect([...seen].sort()).toEqual(["bounced", "delivered", "failed", "queued", "rejected", "sent"]);
  });
});
