/** How many messages a new source address may send to a receiver on each day. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { receivers } from "../../../smtp-egress/receivers/table.ts";
import {
  daysFor,
  labelOf,
  leftToday,
  schedules,
  type WarmUp,
  warmUpDay,
  warmUpOf,
} from "../../../src/mail/warm-up/warm-up.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 23);
const short: WarmUp = { schedule: [50, 100, 200], startedAt: START };

describe.each(Object.entries(schedules))("the schedule %s", (_, schedule) => {
  it("takes 30 to 45 days", () => {
    expect(schedule.length).toBeGreaterThanOrEqual(30);
    expect(schedule.length).toBeLessThanOrEqual(45);
  });

  it("begins with at most 100 messages and ends above 100,000", () => {
    expect(schedule[0]).toBeLessThanOrEqual(100);
    expect(schedule.at(-1)).toBeGreaterThan(100_000);
  });

  it.each(schedule.map((messages, index) => ({ day: index + 1, messages })))(
    "on day $day allows $messages, more than the day before and at most twice as many",
    ({ day, messages }) => {
      const before = schedule[day - 2];
      if (before !== undefined) expect(messages).toBeGreaterThan(before);
      if (before !== undefined) expect(messages).toBeLessThanOrEqual(2 * before);
      const warmUp = { schedule, startedAt: START };
      for (const now of [START + (day - 1) * DAY, START + day * DAY - 1]) {
        expect(warmUpDay(warmUp, now)).toBe(day);
        expect(leftToday(warmUp, 0, now)).toBe(messages);
      }
    },
  );

  it("has no limit afterwards", () => {
    const after = START + schedule.length * DAY;
    const warmUp = { schedule, startedAt: START };
    expect([warmUpDay(warmUp, after), leftToday(warmUp, 1_000_000, after)]).toEqual([null, null]);
  });
});

it("the documents say the days of each schedule and some of their numbers", () => {
  const document = readFileSync(path.join(import.meta.dirname, "../../../docs/egress/own-egress.md"), "utf8");
  const rows = [...document.matchAll(/^\| .+ \| (\d\d) \| (\d[\d,]*(?:, \d[\d,]*){4}) \|$/gm)];
  const expected = Object.values(schedules).map((schedule) => [
    String(schedule.length),
    [1, 7, 14, 21, 30].map((day) => schedule[day - 1]?.toLocaleString("en")).join(", "),
  ]);
  expect(rows.map(([, days, numbers]) => [days, numbers])).toEqual(expected);
});

describe("the schedule of a receiver", () => {
  it.each([
    ["google", "quick"],
    ["example.net", "quick"],
    ["outlook", "careful"],
    ["microsoft-365", "careful"],
    ["yahoo", "careful"],
    ["proofpoint", "careful"],
    ["apple", "slow"],
    ["comcast", "slow"],
    ["gmx", "slow"],
    ["t-online", "slow"],
    ["orange", "slow"],
    ["qq", "slow"],
  ] as const)("%s is %s", (name, schedule) => {
    expect(warmUpOf({ name }, START)).toEqual({ schedule: schedules[schedule], startedAt: START });
  });

  it("of each kind is of receivers that exist", () => {
    const kinds = new Set(receivers.map((receiver) => warmUpOf(receiver, START).schedule));
    expect(kinds).toEqual(new Set(Object.values(schedules)));
  });

  it("has the label that the egress has for it", () => {
    const labelled = receivers.filter(({ name }) => labelOf(name) !== name);
    expect(labelled.length).toBeGreaterThan(20);
    expect(labelled.map(({ name }) => labelOf(name))).toEqual(labelled.map(({ label }) => label));
    expect(labelOf("example.net")).toBe("example.net");
  });

  it("allows Outlook fewer than 20,000 messages in its first week", () => {
    const week = warmUpOf({ name: "outlook" }, START).schedule.slice(0, 7);
    expect(week.reduce((sum, messages) => sum + messages, 0)).toBeLessThan(20_000);
  });
});

describe("a day of the warm-up", () => {
  it.each([
    ["has all of its messages in the morning", 0, 0, 50],
    ["has what is left of them", 30, 0, 20],
    ["has none when they are used up", 50, 0, 0],
    ["has none when more left than it allows", 70, 0, 0],
    ["begins anew after 24 hours", 0, 24, 100],
    ["before the start is the first one", 0, -24, 50],
  ])("%s", (_, sent, hours, left) => expect(leftToday(short, sent, START + hours * HOUR)).toBe(left));
});

describe("the days that a broadcast takes", () => {
  it.each([
    { messages: 50, sentToday: 0, day: 1, days: 1 },
    { messages: 51, sentToday: 0, day: 1, days: 2 },
    { messages: 150, sentToday: 0, day: 1, days: 2 },
    { messages: 151, sentToday: 0, day: 1, days: 3 },
    { messages: 350, sentToday: 0, day: 1, days: 3 },
    // On the fourth day there is no limit any more.
    { messages: 351, sentToday: 0, day: 1, days: 4 },
    { messages: 1_000_000, sentToday: 0, day: 1, days: 4 },
    { messages: 20, sentToday: 30, day: 1, days: 1 },
    { messages: 21, sentToday: 30, day: 1, days: 2 },
    { messages: 10, sentToday: 500, day: 1, days: 2 },
    { messages: 200, sentToday: 0, day: 3, days: 1 },
    { messages: 201, sentToday: 0, day: 3, days: 2 },
    { messages: 1_000_000, sentToday: 500, day: 4, days: 1 },
    { messages: 0, sentToday: 50, day: 1, days: 1 },
  ])("are $days for $messages on day $day after $sentToday", ({ messages, sentToday, day, days }) => {
    expect(daysFor(short, { messages, sentToday }, START + (day - 1) * DAY + 12 * HOUR)).toBe(days);
  });
});
