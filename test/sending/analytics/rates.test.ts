import { describe, expect, it } from "vitest";
import { runCloseHours } from "../../../src/operations/retention/index.ts";
import { hoursToClose, isTooHigh } from "../../../src/operations/retention/rules.ts";
import { listed } from "../../notices/notifications/support.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";
import { aRollup, HOUR_MS, reopen } from "./support.ts";

/** 12:02 of a UTC day of its own, so that all hours of this test are on it. */
const NOON = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS + 2 * 60_000;

/** Closes hours again that tests of other files, which share the database, may have closed before. */
async function close(now: number): Promise<void> {
  await reopen();
  await runCloseHours(testContext({}, () => now));
}

describe("the rates of a day", () => {
  it.each([
    ["100 emails, 2 bounces: at the limit", { emails_sent: 100, emails_bounced: 2 }, []],
    ["100 emails, 3 bounces", { emails_sent: 100, emails_bounced: 3 }, ["3.0 % of today's emails have bounced"]],
    ["99 emails, 50 bounces: too few", { emails_sent: 99, emails_bounced: 50 }, []],
    [
      "refused emails count",
      { emails_sent: 10, emails_refused: 90, emails_bounced: 90 },
      ["90.0 % of today's emails have bounced"],
    ],
    ["1,000 emails, 1 complaint: at the limit", { emails_sent: 1_000, emails_complained: 1 }, []],
    [
      "1,000 emails, 2 complaints",
      { emails_sent: 1_000, emails_complained: 2 },
      ["0.20 % of today's emails were marked as spam"],
    ],
  ])("%s", async (_, counts, titles) => {
    const workspace = await aWorkspace();
    await aRollup(workspace, Math.floor(NOON / HOUR_MS) - 1, "a.example", counts);
    await close(NOON);
    expect((await listed(workspace)).items.map(({ title }) => title)).toEqual(titles);
  });

  it("are alerted once a day each, over all hours of the day and none of another", async () => {
    const workspace = await aWorkspace();
    const hour = Math.floor(NOON / HOUR_MS);
    for (const at of [hour - 3, hour - 2])
      await aRollup(workspace, at, "a.example", { emails_sent: 60, emails_bounced: 2 });
    await aRollup(workspace, hour - 30, "a.example", { emails_sent: 5_000 });
    await close(NOON);
    await close(NOON);
    await aRollup(workspace, hour, "a.example", { emails_sent: 60, emails_bounced: 9 });
    await close(NOON + HOUR_MS);
    const first = await listed(workspace);
    expect(first.items).toHaveLength(1);
    expect(first.items[0]).toMatchObject({
      category: "alerts",
      severity: "warning",
      title: "3.3 % of today's emails have bounced",
    });
    await aRollup(workspace, hour + 24, "a.example", { emails_sent: 100, emails_bounced: 9 });
    await close(NOON + 25 * HOUR_MS);
    expect(await listed(workspace)).toMatchObject({ total: 2 });
  });

  it("have limits that are pure", () => {
    expect([isTooHigh(3, 100, 0.02), isTooHigh(2, 100, 0.02), isTooHigh(99, 99, 0.02)]).toEqual([true, false, false]);
  });
});

describe("hours to close", () => {
  it("are those that ended 90 seconds ago, a day at a time", () => {
    const at = (hour: number, seconds: number) => hour * HOUR_MS + seconds * 1000;
    expect(hoursToClose(9, at(11, 89))).toEqual([]);
    expect(hoursToClose(9, at(11, 90))).toEqual([{ first: 10, last: 10 }]);
    expect(hoursToClose(10, at(11, 90))).toEqual([]);
    expect(hoursToClose(9, at(41, 90))).toEqual([
      { first: 10, last: 33 },
      { first: 34, last: 40 },
    ]);
  });
});
