import { describe, expect, it } from "vitest";
import { listed } from "../../notices/notifications/support.ts";
import { runCloseHours } from "../../support/retention.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { HOUR_MS, reopen } from "../analytics/support.ts";
import { checkAt, count, MINUTE_MS } from "./support.ts";

/** 12:20 of a UTC day, so that the hours of these tests are on it. */
const NOON = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS + 20 * MINUTE_MS;

const titles = async (workspace: TestWorkspace) => (await listed(workspace)).items.map(({ title }) => title);

describe("owners are told of the rates of the last 60 minutes", () => {
  it.each([
    ["50 recipients, 1 bounce: at the limit", { sent: 50, bounced: 1 }, []],
    ["50 recipients, 2 bounces", { sent: 50, bounced: 2 }, ["4.0 % of the last hour's emails have bounced"]],
    [
      "hard and soft bounces",
      { sent: 50, bounced: 1, soft_bounced: 1 },
      ["4.0 % of the last hour's emails have bounced"],
    ],
    ["49 recipients, 40 bounces: too few", { sent: 49, bounced: 40 }, []],
    ["refused at once", { refused: 282, bounced: 121 }, ["42.9 % of the last hour's emails have bounced"]],
    ["1,000 recipients, 1 complaint: at the limit", { sent: 1_000, complained: 1 }, []],
    [
      "1,000 recipients, 2 complaints",
      { sent: 1_000, complained: 2 },
      ["0.20 % of the last hour's emails were marked as spam"],
    ],
  ])("%s", async (_, counts, expected) => {
    const workspace = await aWorkspace();
    await count(workspace, NOON, counts);
    await checkAt(NOON, { BULK_PAUSE_BOUNCE_PERCENT: "0", BULK_PAUSE_COMPLAINT_PERCENT: "0" });
    expect(await titles(workspace)).toEqual(expected);
  });

  it("at the next run of every five minutes, while the hour still lasts", async () => {
    const workspace = await aWorkspace();
    await checkAt(NOON);
    expect(await titles(workspace)).toEqual([]);
    await count(workspace, NOON + MINUTE_MS, { sent: 100, bounced: 5 });
    await checkAt(NOON + 5 * MINUTE_MS);
    expect(await titles(workspace)).toEqual(["5.0 % of the last hour's emails have bounced"]);
  });

  it("once a UTC day for each rate", async () => {
    const workspace = await aWorkspace();
    await count(workspace, NOON, { sent: 100, bounced: 5 });
    for (const minutes of [0, 5, 10]) await checkAt(NOON + minutes * MINUTE_MS);
    expect(await titles(workspace)).toHaveLength(1);
    await count(workspace, NOON + 24 * HOUR_MS, { sent: 100, bounced: 5 });
    await checkAt(NOON + 24 * HOUR_MS);
    expect(await titles(workspace)).toHaveLength(2);
  });
});

describe("the last 60 minutes", () => {
  it("reach into the hour before, and no further than a snapshot of an hour ago", async () => {
    const workspace = await aWorkspace();
    const start = NOON - 60 * MINUTE_MS;
    // At 11:20 all mail until then was good; what follows bounces.
    await count(workspace, start, { sent: 10_000, delivered: 10_000 });
    await checkAt(start);
    await count(workspace, start + 10 * MINUTE_MS, { sent: 60, bounced: 2 });
    await checkAt(start + 15 * MINUTE_MS);
    expect(await titles(workspace)).toEqual([]);
    await count(workspace, NOON, { sent: 40, bounced: 2 });
    await checkAt(NOON);
    expect(await titles(workspace)).toEqual(["4.0 % of the last hour's emails have bounced"]);
  });

  it("are the same whether the hour before was summed or not", async () => {
    const [workspace, other] = [await aWorkspace(), await aWorkspace()];
    const late = NOON - 30 * MINUTE_MS;
    await count(workspace, late, { sent: 100, bounced: 3 });
    await reopen();
    await checkAt(NOON);
    expect(await titles(workspace)).toEqual(["3.0 % of the last hour's emails have bounced"]);
    await count(other, late, { sent: 100, bounced: 3 });
    await runCloseHours(testContext({}, () => NOON));
    await checkAt(NOON + 5 * MINUTE_MS);
    expect(await titles(other)).toEqual(["3.0 % of the last hour's emails have bounced"]);
  });

  it("leave one row for a run and 500 workspaces, for two hours", async () => {
    await run("DELETE FROM rate_snapshots");
    const workspace = await aWorkspace();
    const at = NOON + 3 * HOUR_MS;
    await count(workspace, at, { sent: 1 });
    for (const minutes of [0, 5, 10]) await checkAt(at + minutes * MINUTE_MS);
    const rows = async () =>
      (await testContext().outbox.prepare("SELECT at FROM rate_snapshots ORDER BY at").all<{ at: number }>()).results;
    expect((await rows()).map((row) => (row.at - at) / MINUTE_MS)).toEqual([0, 5, 10]);
    await checkAt(at + 125 * MINUTE_MS);
    expect((await rows()).map((row) => (row.at - at) / MINUTE_MS)).toEqual([5, 10]);
  });
});
