/** Events in the row of an email and as callers see them (decisions.md: the row of a settled email stores less). */
import { describe, expect, it } from "vitest";
import { type EventEntry, queuedEvent, readEvents } from "../../src/emails/timeline/index.ts";
import { toStoredEvents } from "../../src/emails/timeline/stored-events.ts";

const origin = { id: "018f-email", createdAt: 1_000 };
const delivered: EventEntry = {
  id: "018f-event",
  type: "delivered",
  at: 2_000,
  metadata: { recipient: "a@b.example" },
};

describe("the events of an email read as they were written", () => {
  const cases: [string, string, EventEntry[], unknown[]][] = [
    ["a settled email", "delivered", [queuedEvent(origin), delivered], [0, delivered]],
    ["a queued email", "queued", [queuedEvent(origin)], [queuedEvent(origin)]],
    [
      "an earlier version's email, whose first event has an id of its own",
      "delivered",
      [{ id: "018f-other", type: "queued", at: 1_000 }, delivered],
      [{ id: "018f-other", type: "queued", at: 1_000 }, delivered],
    ],
    [
      "an email that was queued later than created",
      "bounced",
      [{ id: origin.id, type: "queued", at: 1_001 }],
      [{ id: origin.id, type: "queued", at: 1_001 }],
    ],
    [
      "an email whose first event says more",
      "failed",
      [{ ...queuedEvent(origin), metadata: { send_now: true } }],
      [{ ...queuedEvent(origin), metadata: { send_now: true } }],
    ],
    ["an email that was never queued", "rejected", [delivered], [delivered]],
  ];
  it.each(cases)("%s", (_, status, events, stored) => {
    const row = toStoredEvents({ ...origin, status, events });
    expect(row).toEqual(stored);
    expect(readEvents(row, origin)).toEqual(events);
  });
});
