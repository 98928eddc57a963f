import { describe, expect, it } from "vitest";
import { isolate } from "../../../../src/platform/outbox/halves.ts";

const MALFORMED = new Error("D1_ERROR: malformed JSON: SQLITE_ERROR");
const itemsOf = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Isolates what makes an attempt at `count` items fail. Returns the result, how often was tried, and what was done. */
async function search(count: number, failureOf: (items: readonly number[], call: number) => Error | null) {
  const done: number[] = [];
  let calls = 0;
  const result = await isolate(itemsOf(count), failureOf(itemsOf(count), 0) ?? MALFORMED, async (items) => {
    calls += 1;
    const failure = failureOf(items, calls);
    if (failure) throw failure;
    done.push(...items);
  });
  return { ...result, done, calls };
}

describe("the item by which an attempt fails", () => {
  it("is found at each place of a hundred in at most eight calls, and each other one is done or left, once", async () => {
    const calls: number[] = [];
    for (const bad of itemsOf(100)) {
      const found = await search(100, (items) => (items.includes(bad) ? MALFORMED : null));
      expect(found.failed).toEqual({ item: bad, error: MALFORMED });
      expect([...found.done, ...found.left, bad].toSorted((a, b) => a - b)).toEqual(itemsOf(100));
      calls.push(found.calls);
    }
    expect([Math.min(...calls), Math.max(...calls)]).toEqual([7, 8]);
  });

  it("is found without a call when it is the only one", async () => {
    expect(await search(1, () => MALFORMED)).toMatchObject({ failed: { item: 0 }, left: [], calls: 0 });
  });

  it("is one of several: the others are done or left, and found by the next search", async () => {
    for (const others of [1, 2, 50, 99]) {
      const bad = new Set([0, others]);
      const { failed, done, left } = await search(100, (items) => (items.some((n) => bad.has(n)) ? MALFORMED : null));
      expect(bad.has(failed?.item ?? -1)).toBe(true);
      expect(done.filter((n) => bad.has(n))).toEqual([]);
      expect([...done, ...left, failed?.item].toSorted((a, b) => Number(a) - Number(b))).toEqual(itemsOf(100));
    }
  });

  it("has the error of its own attempt", async () => {
    const errorOf = (size: number) => new SyntaxError(`of ${size}`);
    for (const bad of [0, 1, 4]) {
      const { failed } = await search(5, (items) => (items.includes(bad) ? errorOf(items.length) : null));
      expect(failed).toEqual({ item: bad, error: errorOf(1) });
    }
  });
});

describe("an attempt that fails by the size of all items together", () => {
  it("has no item that fails, and what was not tried is left", async () => {
    const tooMuch = new Error("D1_ERROR: D1 DB exceeded its CPU time limit and was reset");
    const { failed, done, left } = await search(100, (items) => (items.length > 20 ? tooMuch : null));
    expect(failed).toBeNull();
    expect([...done, ...left].toSorted((a, b) => a - b)).toEqual(itemsOf(100));
    expect(done.length).toBeGreaterThan(0);
  });

  it("has none either when the error does not come again", async () => {
    const { failed, done } = await search(100, (_, call) => (call === 0 ? MALFORMED : null));
    expect(failed).toBeNull();
    expect(done).toEqual(itemsOf(100));
  });
});

it("an error that passes ends the search: nothing is isolated", async () => {
  for (const message of ["Network connection lost", "D1 DB is overloaded", "no such table: emails: SQLITE_ERROR"])
    await expect(search(8, (_, call) => (call === 2 ? new Error(message) : MALFORMED))).rejects.toThrow(message);
});
