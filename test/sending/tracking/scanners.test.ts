import { describe, expect, it } from "vitest";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { aDeliveredMail, aHit, consume, detailOf, rollupTotals, SENT_AT } from "./support.ts";

const START = SENT_AT + 600_000;
const SCANNER = "198.51.100.7";

/** Returns a click on link `n` of the email by a browser at this address, `after` milliseconds after START. */
const click = (workspace: TestWorkspace, id: string, n: number, after: number, ip = SCANNER) =>
  aHit(workspace, id, { kind: "click", url: `https://shop.example/${n}`, at: START + after, ip });

/** Returns the marks of the email's clicks by link and address. */
async function marksOf(workspace: TestWorkspace, id: string): Promise<Record<string, string>> {
  const { events } = await detailOf(workspace, id);
  const clicks = events.filter(({ event_type }) => event_type === "click");
  return Object.fromEntries(
    clicks.map(({ metadata = {} }) => [
      `${String(metadata?.url).slice(-1)} ${String(metadata?.ip)}`,
      metadata?.machine ? "machine" : metadata?.repeat ? "repeat" : "counted",
    ]),
  );
}

describe("a client that looks like a browser", () => {
  it("is a scanner when it fetches three links of an email within 5 s, and a person otherwise", async () => {
    const workspace = await aWorkspace();
    const [burst, slow, two, twice, many] = await Promise.all(
      Array.from({ length: 5 }, () => aDeliveredMail(workspace)),
    );
    const clicks = (id = "", ...times: [link: number, after: number, ip?: string][]) =>
      times.map(([n, after, ip]) => click(workspace, id, n, after, ip));
    await consume([
      ...clicks(burst, [1, 0], [2, 2_500], [3, 5_000]),
      ...clicks(slow, [1, 0], [2, 2_500], [3, 5_001]),
      ...clicks(two, [1, 0], [2, 1]),
      ...clicks(twice, [1, 0], [2, 1], [1, 2]),
      ...clicks(many, [1, 0, "192.0.2.1"], [2, 1, "192.0.2.2"], [3, 2, "192.0.2.3"]),
    ]);
    const counts = await Promise.all(
      [burst, slow, two, twice, many].map(async (id = "") => (await detailOf(workspace, id)).clicked_count),
    );
    expect(counts).toEqual([0, 3, 2, 2, 3]);
  });

  it("loses the hits that were counted before its third link came", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    await consume([click(workspace, id, 1, 0)]);
    await consume([click(workspace, id, 2, 100)]);
    expect(await detailOf(workspace, id)).toMatchObject({ clicked_count: 2 });
    expect(await rollupTotals(workspace)).toEqual({ "": [0, 1], "one.example": [0, 1] });
    await consume([click(workspace, id, 3, 200)]);
    expect(await detailOf(workspace, id)).toMatchObject({ clicked_count: 0 });
    expect(await rollupTotals(workspace)).toEqual({});
    await consume([click(workspace, id, 1, 90_000)]);
    expect(await detailOf(workspace, id)).toMatchObject({ clicked_count: 0 });
  });

  it("never hides the click of a person on the same link, whichever came first", async () => {
    const workspace = await aWorkspace();
    for (const personAfter of [-50, 50]) {
      const id = await aDeliveredMail(workspace);
      await consume([click(workspace, id, 1, 0), click(workspace, id, 1, personAfter, "192.0.2.1")]);
      await consume([click(workspace, id, 2, 100)]);
      await consume([click(workspace, id, 3, 200)]);
      expect(await detailOf(workspace, id)).toMatchObject({ clicked_count: 1 });
      expect(await marksOf(workspace, id)).toEqual({
        [`1 ${SCANNER}`]: "machine",
        "1 192.0.2.1": "counted",
        [`2 ${SCANNER}`]: "machine",
        [`3 ${SCANNER}`]: "machine",
      });
    }
  });
});

describe("repeats within 60 s", () => {
  it("by persons count once, and a hit 60 s later counts again", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    const open = (after: number, ip: string) => aHit(workspace, id, { at: START + after, ip });
    await consume([open(0, "192.0.2.1"), open(59_999, "192.0.2.2"), open(60_000, "192.0.2.3")]);
    expect(await detailOf(workspace, id)).toMatchObject({ opened_count: 2 });
    const { events } = await detailOf(workspace, id);
    const opens = events.filter(({ event_type }) => event_type === "open");
    expect(opens.map(({ metadata }) => metadata?.repeat)).toEqual([undefined, true, undefined]);
  });

  it("are merged per kind of client: a machine before or after does not hide a person", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    await consume([
      aHit(workspace, id, { at: START, ua: "Slackbot 1.0" }),
      aHit(workspace, id, { at: START + 10 }),
      aHit(workspace, id, { at: START + 20, ua: "Slackbot 1.0" }),
    ]);
    expect(await detailOf(workspace, id)).toMatchObject({ opened_count: 1 });
  });

  it("are of one link and one recipient", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace, "a@one.example", "b@one.example");
    await consume([
      click(workspace, id, 1, 0, "192.0.2.1"),
      click(workspace, id, 2, 1, "192.0.2.1"),
      { ...click(workspace, id, 1, 2, "192.0.2.1"), recipient: 1 },
      { ...click(workspace, id, 1, 3, "192.0.2.1"), recipient: null },
    ]);
    expect(await detailOf(workspace, id)).toMatchObject({ clicked_count: 4 });
  });
});

it("a flood of scanner hits leaves room for the events of persons", async () => {
  const workspace = await aWorkspace();
  const id = await aDeliveredMail(workspace);
  await consume(Array.from({ length: 90 }, (_, n) => aHit(workspace, id, { at: START + n, ua: "curl/8" })));
  await consume(Array.from({ length: 30 }, (_, n) => aHit(workspace, id, { at: START + n * 60_000 })));
  const { events, opened_count } = await detailOf(workspace, id);
  const opens = events.filter(({ event_type }) => event_type === "open");
  expect(opened_count).toBe(30);
  expect(opens.filter(({ metadata }) => metadata?.machine)).toHaveLength(25);
  expect(opens).toHaveLength(50);
});
