/** Events in the row of an email and as callers see them (docs/performance.md#measurements-behind-the-code). */
import { describe, expect, it } from "vitest";
import { type EventEntry, queuedEvent, readEvents } from "../../../../src/sending/emails/timeline/index.ts";
import { toStoredEvents } from "../../../../src/sending/emails/timeline/stored-events.ts";

const origin = { id: "018f-email", createdAt: 1_000, recipients: [{ email: "x@b.example" }, { email: "a@b.example" }] };
const delivered: EventEntry = {
  id: "018f-event",
  type: "delivered",
  at: 2_000,
  metadata: { recipient: "a@b.example" },
};

/** An event of a delivery attempt at 3,000 ms, whose id has this time. */
const end = "-700c-9bd4-c4caab6c29bb";
const accepted = (metadata: object, id = `00000000-0bb8${end}`): EventEntry => ({
  id,
  type: "delivered",
  at: 3_000,
  metadata: { recipient: "a@b.example", relay: "mx", attempt: 2, dsn: "2.0.0", response: "250 2.0.0 Ok", ...metadata },
});

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
    ["an email that was delivered", "delivered", [accepted({})], [[end, 2_000, 1, "mx", 2, 0, "250 2.0.0 Ok"]]],
    [
      "a reply without its enhanced code",
      "delivered",
      [accepted({ response: "250 Ok" })],
      [[end, 2_000, 1, "mx", 2, "2.0.0", "250 Ok"]],
    ],
    ...[
      accepted({ possible_duplicate: true }),
      accepted({ recipient: "unknown@b.example" }),
      accepted({ dsn: undefined }),
      accepted({}, `00000000-0bb9${end}`),
      { ...accepted({}), type: "bounced" as const },
    ].map((event): [string, string, EventEntry[], unknown[]] => [
      `an event that says ${JSON.stringify(event)}`,
      "delivered",
      [event],
      [event],
    ]),
    ["an email that was never queued", "rejected", [delivered], [delivered]],
  ];
  it.each(cases)("%s", (_, status, events, stored) => {
    const row = toStoredEvents({ ...origin, status, events });
    expect(row).toEqual(stored);
    expect(readEvents(JSON.parse(JSON.stringify(row)), origin)).toEqual(events);
  });
});
