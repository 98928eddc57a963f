/** How commits for one database share transactions. */
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { CommitGatherer } from "../../../../../src/sending/emails/send/gather-commits.ts";

const MAX_COMMITS = 64;
const SILENCE_MS = 5_000;

interface Item {
  name: string;
  bytes: number;
  repeatKey: string | null;
}

/** A transaction that runs: the request that leads it, and the names of its commits. */
interface Transaction {
  leader: string;
  names: string[];
  /** Ends it, as one that wrote all commits but these. */
  end(...refused: string[]): void;
  fail(error: Error): void;
}

let gatherer: CommitGatherer<Item>;
let transactions: Transaction[];
let signs: MockInstance<typeof setInterval>;
const database = {};

beforeEach(() => {
  vi.useFakeTimers();
  signs = vi.spyOn(globalThis, "setInterval");
  gatherer = new CommitGatherer(Date.now);
  transactions = [];
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Commits an item by a request of its own, whose transactions end when the test ends them. */
function commit(name: string, changes: Partial<Item> = {}, on: object = database): Promise<boolean> {
  const item = { name, bytes: 100, repeatKey: null, ...changes };
  return gatherer.commit(on, item, (items) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlySet<Item>>();
    const end = (...refused: string[]) => resolve(new Set(items.filter((one) => !refused.includes(one.name))));
    transactions.push({ leader: name, names: items.map((one) => one.name), end, fail: reject });
    return promise;
  });
}

/** Lets everything run that waits for no timer. */
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Begins a transaction that runs, and commits that wait for its end. Returns the results of these. */
async function whileOneRuns(names: readonly string[], changes: (at: number) => Partial<Item> = () => ({})) {
  const opener = commit("opener");
  await settle();
  const waiting = names.map((name, at) => commit(name, changes(at)));
  await settle();
  return { opener, waiting };
}

/** Ends the transaction that runs, and each later one, until none follows. Returns the names of each. */
async function endAll(): Promise<string[][]> {
  for (let at = 0; at < transactions.length; at++) {
    transactions[at]?.end();
    await settle();
  }
  return transactions.map(({ names }) => names);
}

describe("a lone commit", () => {
  it("is written at once by its own request, each time", async () => {
    for (const name of ["a", "b", "c"]) {
      const result = commit(name);
      await Promise.resolve();
      expect(transactions.at(-1)).toMatchObject({ leader: name, names: [name] });
      transactions.at(-1)?.end();
      expect(await result).toBe(true);
    }
    expect(transactions).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("throws its own error, and the next one begins anew", async () => {
    const result = commit("a");
    const refused = expect(result).rejects.toThrow("the limit of a");
    await settle();
    transactions[0]?.fail(new Error("the limit of a"));
    await refused;
    const next = commit("b");
    await settle();
    transactions[1]?.end();
    expect(await next).toBe(true);
  });

  it("that throws its own error lets those that wait be written", async () => {
    const { opener, waiting } = await whileOneRuns(["a", "b"]);
    const refused = expect(opener).rejects.toThrow("refused");
    transactions[0]?.fail(new Error("refused"));
    await refused;
    await settle();
    transactions[1]?.end();
    expect(await Promise.all(waiting)).toEqual([true, true]);
  });
});

describe("commits that come while a transaction runs", () => {
  it("are written together by the next one, in their order, by the request of the first of them", async () => {
    const { opener, waiting } = await whileOneRuns(["a", "b", "c"]);
    expect(transactions).toHaveLength(1);
    transactions[0]?.end();
    await settle();
    expect(await opener).toBe(true);
    expect(transactions[1]).toMatchObject({ leader: "a", names: ["a", "b", "c"] });
    const later = commit("d");
    await settle();
    expect(transactions).toHaveLength(2);
    transactions[1]?.end();
    await settle();
    expect(await Promise.all(waiting)).toEqual([true, true, true]);
    expect(transactions[2]).toMatchObject({ leader: "d", names: ["d"] });
    transactions[2]?.end();
    expect(await later).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("on another database do not wait for it", async () => {
    const { opener } = await whileOneRuns([]);
    const other = commit("other", {}, {});
    await settle();
    expect(transactions[1]).toMatchObject({ leader: "other", names: ["other"] });
    transactions[1]?.end();
    expect(await other).toBe(true);
    transactions[0]?.end();
    expect(await opener).toBe(true);
  });

  it(`are at most ${MAX_COMMITS} of one transaction`, async () => {
    const names = Array.from({ length: 2 * MAX_COMMITS + 1 }, (_, at) => `${at}`);
    const { waiting } = await whileOneRuns(names);
    const groups = await endAll();
    expect(groups.map(({ length }) => length)).toEqual([1, MAX_COMMITS, MAX_COMMITS, 1]);
    expect(groups.slice(1).flat()).toEqual(names);
    expect(transactions.map(({ leader }) => leader)).toEqual(["opener", "0", `${MAX_COMMITS}`, `${2 * MAX_COMMITS}`]);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]));
  });

  it("have at most 1,000,000 bytes in one transaction, and one that is larger has its own", async () => {
    const sizes = [500_000, 500_000, 1, 1_500_000, 999_999, 1, 1];
    await whileOneRuns(["a", "b", "c", "large", "d", "e", "f"], (at) => ({ bytes: sizes[at] ?? 0 }));
    expect(await endAll()).toEqual([["opener"], ["a", "b"], ["c"], ["large"], ["d", "e"], ["f"]]);
  });

  it("with one repeatKey are in transactions of their own, in their order, and delay no other", async () => {
    const keys = ["k", "k", null, "l", "k", null];
    await whileOneRuns(["a", "again", "b", "c", "third", "d"], (at) => ({ repeatKey: keys[at] ?? null }));
    expect(await endAll()).toEqual([["opener"], ["a", "b", "c", "d"], ["again"], ["third"]]);
  });
});

describe("those of a transaction of several", () => {
  it("that it does not write return false, also the leader's; the others return true", async () => {
    const { waiting } = await whileOneRuns(["a", "b", "c", "d"]);
    transactions[0]?.end();
    await settle();
    transactions[1]?.end("a", "c");
    expect(await Promise.all(waiting)).toEqual([false, true, false, true]);
  });

  it("all return false when it fails, and those that came meanwhile are written", async () => {
    const { waiting } = await whileOneRuns(["a", "b", "c"]);
    transactions[0]?.end();
    await settle();
    const later = commit("d");
    await settle();
    transactions[1]?.fail(new Error("Network connection lost"));
    expect(await Promise.all(waiting)).toEqual([false, false, false]);
    await settle();
    transactions[2]?.end();
    expect(await later).toBe(true);
  });
});

/** Ends the signs of life of the leaders that run now, as the platform does with requests that it ends. */
function endLeaders(): void {
  for (const { value } of signs.mock.results) clearInterval(value);
}

describe("a leader", () => {
  it("that takes a minute, with signs of life, is waited for", async () => {
    const { opener, waiting } = await whileOneRuns(["a", "b"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(transactions).toHaveLength(1);
    transactions[0]?.end();
    await settle();
    expect(transactions[1]?.names).toEqual(["a", "b"]);
    await vi.advanceTimersByTimeAsync(60_000);
    transactions[1]?.end();
    expect(await Promise.all([opener, ...waiting])).toEqual([true, true, true]);
  });

  it("that never comes back makes those that wait return false after five seconds of silence; then others begin anew", async () => {
    void commit("lost");
    await settle();
    endLeaders();
    const results: string[] = [];
    const waiting = ["a", "b"].map((name) => commit(name).then((result) => results.push(`${name} ${result}`)));
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
    expect([results, transactions.length]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(waiting);
    expect(results).toEqual(["a false", "b false"]);
    const next = commit("c");
    await settle();
    expect(transactions[1]).toMatchObject({ leader: "c", names: ["c"] });
    transactions[1]?.end();
    expect(await next).toBe(true);
  });

  it("that never comes back with a group makes its followers return false, and those that wait for the next one", async () => {
    const { waiting } = await whileOneRuns(["leader", "a", "b"]);
    transactions[0]?.end();
    await settle();
    endLeaders();
    const [, ...followers] = waiting;
    const later = commit("c");
    await vi.advanceTimersByTimeAsync(SILENCE_MS);
    expect(await Promise.all([...followers, later])).toEqual([false, false, false]);
    expect(transactions.map(({ names }) => names)).toEqual([["opener"], ["leader", "a", "b"]]);
  });

  it("that falls silent later is waited for until five seconds after its last sign", async () => {
    const { waiting } = await whileOneRuns([]);
    await vi.advanceTimersByTimeAsync(12_000);
    waiting.push(commit("a"));
    endLeaders();
    let isDone = false;
    const done = waiting[0]?.then(() => {
      isDone = true;
    });
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
    expect(isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(await waiting[0]).toBe(false);
  });

  it("that comes back after others began anew disturbs none of them", async () => {
    const slow = commit("slow");
    await settle();
    endLeaders();
    const waiting = commit("a");
    await vi.advanceTimersByTimeAsync(SILENCE_MS);
    expect(await waiting).toBe(false);
    const second = commit("b");
    await settle();
    const third = commit("c");
    await settle();
    transactions[0]?.end();
    expect(await slow).toBe(true);
    expect(transactions.map(({ names }) => names)).toEqual([["slow"], ["b"]]);
    transactions[1]?.end();
    await settle();
    transactions[2]?.end();
    expect(await Promise.all([second, third])).toEqual([true, true]);
    expect(transactions.map(({ names }) => names)).toEqual([["slow"], ["b"], ["c"]]);
  });
});
