import { describe, expect, it } from "vitest";
import { estimateWarmUp } from "../../../../src/audience/broadcasts/estimate-days.ts";
import type { WarmUpPart } from "../../../../src/sending/receivers/index.ts";

/** How many days a broadcast takes from a new address, by the receivers of its audience. */

const DAY = 86_400_000;
const TODAY = Math.floor(Date.UTC(2026, 10, 23) / DAY);
const NOW = TODAY * DAY + 12 * 3_600_000;

/** Returns contacts at a receiver, without mail before today. */
const part = (receiver: string | null, contacts: number, changes: Partial<WarmUpPart> = {}): WarmUpPart => ({
  ...{ address: "192.0.2.1", since: null, receiver, contacts, first: null, today: null },
  ...changes,
});

describe("the days of a broadcast from a new address", () => {
  it.each<[string, WarmUpPart[], number, { days: number; receiver: string | null; contacts: number }]>([
    [
      "are one when the first day allows all",
      [part("google", 100)],
      100,
      { days: 1, receiver: "Google", contacts: 100 },
    ],
    ["follow the schedule of the receiver", [part("google", 10)], 701, { days: 4, receiver: "Google", contacts: 701 }],
    [
      "are those of the receiver that takes longest",
      [part("google", 600), part("outlook", 300), part("apple", 100)],
      10_000,
      { days: 8, receiver: "Outlook", contacts: 3_000 },
    ],
    [
      "are those of a small one that is slow",
      [part("google", 70), part("t-online", 30)],
      1_000,
      { days: 5, receiver: "T-Online", contacts: 300 },
    ],
    [
      "take all unknown mail systems as one with the quick schedule",
      [part(null, 9), part("google", 1)],
      1_000,
      { days: 4, receiver: null, contacts: 900 },
    ],
    [
      "are more when a part of today is used",
      [part("google", 1, { today: 80, first: TODAY })],
      100,
      { days: 2, receiver: "Google", contacts: 100 },
    ],
    [
      "are fewer on a later day of the warm-up",
      [part("outlook", 1, { first: TODAY - 9 })],
      3_000,
      { days: 2, receiver: "Outlook", contacts: 3_000 },
    ],
    [
      "count from the day that is set for all receivers",
      [part("outlook", 1, { first: TODAY, since: (TODAY - 9) * DAY })],
      3_000,
      { days: 2, receiver: "Outlook", contacts: 3_000 },
    ],
    [
      "are one after the warm-up",
      [part("outlook", 1, { first: TODAY - 40 })],
      1_000_000,
      { days: 1, receiver: "Outlook", contacts: 1_000_000 },
    ],
    [
      "are those of the slowest address",
      [part("outlook", 5), part("outlook", 5, { address: "192.0.2.2", first: TODAY - 9 })],
      300,
      { days: 3, receiver: "Outlook", contacts: 300 },
    ],
  ])("%s", (_, parts, eligible, expected) => {
    expect(estimateWarmUp(parts, { eligible, at: NOW, now: NOW })).toEqual(expected);
  });

  it("count from the day for which it is scheduled, of which nothing is used", () => {
    const parts = [part("google", 1, { today: 80, first: TODAY })];
    expect(estimateWarmUp(parts, { eligible: 200, at: NOW + DAY, now: NOW })).toMatchObject({ days: 1 });
  });

  it("are not said without a warm-up", () => {
    expect(estimateWarmUp([], { eligible: 1_000, at: NOW, now: NOW })).toBeNull();
  });
});
