import { expect, it } from "vitest";
import type { WakeUp } from "../../../../src/platform/context.ts";
import { lastingWake, WakeUpGatherer } from "../../../../src/platform/outbox/gather-wake-ups.ts";

const rowsOf = (count: number, name: string): WakeUp[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${name} ${index}`, dueAt: 0, kind: "deliver" }));

/** A gatherer whose clock stands still, and whose calls end when the test ends them. */
function start() {
  let now = 1_000_000;
  const calls: { ids: string[]; by: string; end: () => void; fail: () => void }[] = [];
  const gatherer = new WakeUpGatherer(() => now);
  const databases = [{}, {}];
  const queue = {};
  const settled: string[] = [];
  return {
    calls,
    settled,
    wake(name: string, { count = 1, database = 0 } = {}) {
      const send = (all: readonly WakeUp[]) =>
        new Promise<void>((end, reject) =>
          calls.push({
            ids: all.map(({ id }) => id),
            by: name,
            end,
            fail: () => reject(new Error("the queue failed")),
          }),
        );
      const woken = gatherer.wake({ queue, outbox: databases[database] ?? {} }, rowsOf(count, name), send);
      return woken.finally(() => settled.push(name));
    },
    async end(call: number) {
      calls[call]?.end();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    },
    pass(ms: number) {
      now += ms;
    },
  };
}

it("a wake-up that comes alone is sent at once, each time", async () => {
  const { wake, calls, end } = start();
  for (const [index, name] of ["a", "b"].entries()) {
    const woken = wake(name);
    expect(calls.map(({ ids }) => ids).at(-1)).toEqual([`${name} 0`]);
    await end(index);
    await woken;
  }
  expect(calls).toHaveLength(2);
});

it("wake-ups that come while a call runs go in the next one together, and their requests wait for neither", async () => {
  const { wake, calls, end, settled } = start();
  const first = wake("a");
  await Promise.all([wake("b", { count: 2 }), wake("c")]);
  expect(calls).toHaveLength(1);
  await end(0);
  expect(calls.map(({ ids, by }) => [by, ids])).toEqual([
    ["a", ["a 0"]],
    ["a", ["b 0", "b 1", "c 0"]],
  ]);
  await wake("d");
  await end(1);
  expect(calls[2]?.ids).toEqual(["d 0"]);
  await end(2);
  await first;
  expect(settled).toEqual(["b", "c", "d", "a"]);
});

it("wake-ups of other databases do not wait", () => {
  const { wake, calls } = start();
  void wake("a");
  void wake("b", { database: 1 });
  expect(calls.map(({ ids }) => ids)).toEqual([["a 0"], ["b 0"]]);
});

it("a request sends the rows of others for five seconds at most; the next wake-up begins anew", async () => {
  const { wake, calls, end, pass } = start();
  const first = wake("a");
  pass(4_000);
  await wake("b");
  await end(0);
  pass(1_000);
  await wake("c");
  await end(1);
  expect(calls[2]).toMatchObject({ by: "a", ids: ["c 0"] });
  const last = wake("d");
  expect(calls[3]).toMatchObject({ by: "d", ids: ["d 0"] });
  await end(2);
  await first;
  await end(3);
  await last;
  expect(calls).toHaveLength(4);
});

it("the rows that waited for a request that was ended go with the next wake-up after five seconds", async () => {
  const { wake, calls, end, pass } = start();
  void wake("ended");
  await wake("b");
  pass(5_000);
  const next = wake("c");
  expect(calls[1]).toMatchObject({ by: "c", ids: ["b 0", "c 0"] });
  await end(1);
  await next;
  // The first request was only slow: it sends nothing twice, and does not end the turn of another.
  const later = wake("d");
  await end(0);
  await wake("e");
  expect(calls.map(({ ids }) => ids)).toEqual([["ended 0"], ["b 0", "c 0"], ["d 0"]]);
  await end(2);
  await end(3);
  await later;
  expect(calls[3]).toMatchObject({ by: "d", ids: ["e 0"] });
});

it("at most 1,000 rows wait for one call; a request with more makes its own", async () => {
  const { wake, calls, end } = start();
  void wake("a");
  await wake("b", { count: 900 });
  await wake("c", { count: 100 });
  void wake("d");
  expect(calls.map(({ ids }) => ids.length)).toEqual([1, 1]);
  await end(0);
  expect(calls[2]?.ids).toHaveLength(1_000);
});

it("after a call that throws the next wake-up is sent at once", async () => {
  const { wake, calls } = start();
  const first = wake("a");
  calls[0]?.fail();
  await expect(first).rejects.toThrow("the queue failed");
  void wake("b");
  expect(calls.map(({ ids }) => ids)).toEqual([["a 0"], ["b 0"]]);
});

it("wake-ups within 100 ms of a lasting one share one queue message, sent when these have passed", async () => {
  const sent: { ids: string[]; delay: number | undefined }[] = [];
  const waits: { ms: number; end: () => void }[] = [];
  const gatherer = new WakeUpGatherer(() => 1_000_000);
  const wake = lastingWake(
    async (rows, delay) => sent.push({ ids: rows.map(({ id }) => id), delay }) > 0,
    100,
    (ms) => new Promise<void>((end) => waits.push({ ms, end })),
  );
  const place = { queue: {}, outbox: {} };
  const first = gatherer.wake(place, rowsOf(1, "first"), (rows) => wake(rows));
  expect(sent).toEqual([{ ids: ["first 0"], delay: undefined }]);
  for (const name of ["second", "third"]) await gatherer.wake(place, rowsOf(1, name), (rows) => wake(rows));
  expect(sent).toHaveLength(1);
  expect(waits.map(({ ms }) => ms)).toEqual([100]);
  waits[0]?.end();
  await expect.poll(() => sent.map(({ ids }) => ids)).toEqual([["first 0"], ["second 0", "third 0"]]);
  waits[1]?.end();
  await first;
  await Promise.all([wake(rowsOf(1, "alone"), 5), waits[2]?.end()]);
  expect(sent[2]).toEqual({ ids: ["alone 0"], delay: 5 });
});
