/** How the mail gateway puts items of one key into calls to the Worker. */
import { beforeEach, describe, expect, it } from "vitest";
import { wait } from "../../mail-gateway/clock.ts";
import { GroupedCalls } from "../../mail-gateway/grouped-calls.ts";
import { ManualClock } from "../host/support/manual-clock.ts";

/** Time that a call takes here, in ms. */
const CALL_MS = 20;
let clock: ManualClock;

/** Calls that were made, and how each of their items gets a response: `fails` makes the whole call fail. */
function aWorker() {
  const calls: string[][] = [];
  const groups = new GroupedCalls<string, string>({
    clock,
    async call(items) {
      calls.push([...items]);
      await wait(clock, CALL_MS);
      if (items.includes("hangs")) await new Promise(() => {});
      if (items.includes("fails")) throw new Error("the Worker failed");
      return items.map((item) => (item === "refused" ? { error: new Error("refused") } : { value: `to ${item}` }));
    },
    maxItems: 4,
    maxBytes: 100,
    bytesOf: (item) => item.length,
    nameOf: (item) => item,
  });
  const sendAll = (items: readonly string[]) =>
    Promise.allSettled(items.map((item) => groups.send("user", item))).then((results) =>
      results.map((result) => (result.status === "fulfilled" ? result.value : String(result.reason))),
    );
  return { calls, groups, sendAll };
}

beforeEach(() => {
  clock = new ManualClock();
});

/** Lets time pass and returns what the items got. */
async function within<Result>(milliseconds: number, results: Promise<Result>): Promise<Result> {
  await clock.advance(milliseconds);
  return results;
}

describe("an item that comes alone", () => {
  it("is sent at once, each time", async () => {
    const { calls, sendAll } = aWorker();
    for (const item of ["a", "b", "c"]) {
      const response = sendAll([item]);
      expect(calls.at(-1)).toEqual([item]);
      expect(await within(CALL_MS, response)).toEqual([`to ${item}`]);
    }
    expect(calls).toHaveLength(3);
  });

  it("is sent at once after a second without items, however many came before", async () => {
    const { calls, sendAll } = aWorker();
    await within(2 * CALL_MS, sendAll(["a", "b", "c", "d"]));
    await clock.advance(1_000);
    const response = sendAll(["late"]);
    expect(calls.at(-1)).toEqual(["late"]);
    expect(await within(CALL_MS, response)).toEqual(["to late"]);
  });
});

describe("items that come while a call runs", () => {
  it("go in the next call together, each with its own response", async () => {
    const { calls, sendAll } = aWorker();
    const responses = await within(2 * CALL_MS, sendAll(["a", "b", "refused", "c"]));
    expect(calls).toEqual([["a"], ["b", "refused", "c"]]);
    expect(responses).toEqual(["to a", "to b", "Error: refused", "to c"]);
  });

  it("go in several calls beyond the limits of one", async () => {
    const { calls, sendAll } = aWorker();
    await within(4 * CALL_MS, sendAll(["a", "b", "c", "d", "e", "f"]));
    expect(calls).toEqual([["a"], ["b", "c", "d", "e"], ["f"]]);
    const long = "x".repeat(60);
    const second = aWorker();
    await within(4 * CALL_MS, second.sendAll(["a", long, long]));
    expect(second.calls).toEqual([["a"], [long], [long]]);
  });

  it("of another key do not wait for it", async () => {
    const { calls, groups } = aWorker();
    const responses = Promise.all([groups.send("user", "a"), groups.send("other", "b")]);
    expect(calls).toEqual([["a"], ["b"]]);
    expect(await within(CALL_MS, responses)).toEqual(["to a", "to b"]);
  });
});

describe("items that come while a call hangs", () => {
  it("wait a second for it, and then go together", async () => {
    const { calls, groups, sendAll } = aWorker();
    void groups.send("user", "hangs");
    const responses = sendAll(["a", "b"]);
    await clock.advance(999);
    expect(calls).toEqual([["hangs"]]);
    expect(await within(1 + CALL_MS, responses)).toEqual(["to a", "to b"]);
    expect(calls).toEqual([["hangs"], ["a", "b"]]);
    const later = sendAll(["c"]);
    expect(await within(2 * CALL_MS, later)).toEqual(["to c"]);
  });

  it("wait when eight calls hang, and another key does not", async () => {
    const { calls, groups } = aWorker();
    for (let n = 0; n < 9; n++) {
      void groups.send("user", "hangs");
      await clock.advance(1_000);
    }
    void groups.send("other", "a");
    await clock.advance(60_000);
    expect(calls).toEqual([...Array(8).fill(["hangs"]), ["a"]]);
  });
});

describe("a call after one with several items", () => {
  it("waits until as many have come", async () => {
    const { calls, sendAll } = aWorker();
    await within(2 * CALL_MS, sendAll(["a", "b", "c", "d"]));
    const first = sendAll(["e"]);
    await clock.advance(5);
    expect(calls).toHaveLength(2);
    const others = sendAll(["f", "g"]);
    expect(calls.at(-1)).toEqual(["e", "f", "g"]);
    expect(await within(CALL_MS, Promise.all([first, others]))).toEqual([["to e"], ["to f", "to g"]]);
  });

  it("waits no longer than that call took", async () => {
    const { calls, sendAll } = aWorker();
    await within(2 * CALL_MS, sendAll(["a", "b", "c", "d"]));
    const response = sendAll(["e"]);
    await clock.advance(CALL_MS - 1);
    expect(calls).toHaveLength(2);
    await clock.advance(1);
    expect(calls.at(-1)).toEqual(["e"]);
    expect(await within(CALL_MS, response)).toEqual(["to e"]);
  });

  it("waits for the clients of that call, beside those that came meanwhile", async () => {
    const { calls, sendAll } = aWorker();
    await within(2 * CALL_MS, sendAll(["1", "2", "3", "4"]));
    const first = sendAll(["a", "b", "x"]);
    const second = sendAll(["c", "d"]);
    await within(CALL_MS, first);
    expect(calls.at(-1)).toEqual(["a", "b", "x"]);
    const again = sendAll(["a", "b"]);
    expect(calls.at(-1)).toEqual(["c", "d", "a", "b"]);
    await within(CALL_MS, Promise.all([second, again]));
  });

  it("does not wait for them again after it has waited in vain", async () => {
    const { calls, sendAll } = aWorker();
    await within(2 * CALL_MS, sendAll(["1", "2", "3", "4"]));
    const first = sendAll(["a", "b", "x"]);
    const second = sendAll(["c", "d"]);
    await within(CALL_MS, first);
    await clock.advance(CALL_MS);
    expect(calls.at(-1)).toEqual(["c", "d"]);
    const third = sendAll(["e", "f", "g"]);
    await within(CALL_MS, second);
    expect(calls.at(-1)).toEqual(["e", "f", "g"]);
    await within(CALL_MS, third);
  });

  it("expects fewer after each call that was not full", async () => {
    const { calls, sendAll } = aWorker();
    await within(2 * CALL_MS, sendAll(["a", "b", "c", "d"]));
    for (const item of ["e", "f"]) await within(2 * CALL_MS, sendAll([item]));
    const response = sendAll(["g"]);
    expect(calls.at(-1)).toEqual(["g"]);
    await within(CALL_MS, response);
  });
});

describe("the items of a call that failed", () => {
  it("are sent alone when they come again, after a time too", async () => {
    const { calls, sendAll } = aWorker();
    const first = await within(2 * CALL_MS, sendAll(["a", "b", "fails", "c"]));
    expect(first).toEqual(["to a", ...Array(3).fill("Error: the Worker failed")]);
    await clock.advance(60_000);
    const again = await within(CALL_MS, sendAll(["b", "fails", "c"]));
    expect(again).toEqual(["to b", "Error: the Worker failed", "to c"]);
    expect(calls.slice(2)).toEqual([["b"], ["fails"], ["c"]]);
  });

  it("are sent alone whatever was sent since", async () => {
    const { calls, sendAll } = aWorker();
    await within(2 * CALL_MS, sendAll(["a", "fails", "b", "c"]));
    await within(6 * CALL_MS, sendAll(["1", "2", "3", "4", "5", "6", "7", "8"]));
    const before = calls.length;
    const again = await within(3 * CALL_MS, sendAll(["d", "b", "e", "fails", "f"]));
    expect(again).toEqual(["to d", "to b", "to e", "Error: the Worker failed", "to f"]);
    expect(calls.slice(before)).toEqual([["d"], ["b"], ["e"], ["fails"], ["f"]]);
  });

  it("go with others again after two hours", async () => {
    const { calls, sendAll } = aWorker();
    await within(2 * CALL_MS, sendAll(["a", "fails", "b", "c"]));
    await clock.advance(2 * 3_600_000);
    await within(2 * CALL_MS, sendAll(["d", "b", "c"]));
    expect(calls.slice(2)).toEqual([["d"], ["b", "c"]]);
  });
});
