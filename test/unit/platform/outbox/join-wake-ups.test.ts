import { expect, it } from "vitest";
import { type WakeUp, WakeUpJoiner } from "../../../../src/platform/outbox/index.ts";

const rowsOf = (count: number, name = "row"): WakeUp[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${name} ${index}`, dueAt: 0, kind: "deliver" }));

/** A joiner whose clock stands still, and whose waits end when the test advances the clock. */
function start() {
  let now = 1_000_000;
  const waits: { until: number; end: () => void }[] = [];
  const sent: string[][] = [];
  const wait = (ms: number) => new Promise<void>((end) => waits.push({ until: now + ms, end }));
  const joiner = new WakeUpJoiner(() => now, wait);
  return {
    sent,
    send: (rows: readonly WakeUp[], database = 0) =>
      joiner.wake(database, rows, async (all) => {
        sent.push(all.map(({ id }) => id));
        return true;
      }),
    async advance(ms: number) {
      now += ms;
      for (const { until, end } of waits) if (until <= now) end();
      await Promise.resolve();
      await Promise.resolve();
    },
    /** Ends the requests that wait, as a deployment or a failed isolate does. */
    lose: () => waits.splice(0),
  };
}

it("a wake-up that follows no other is sent at once", async () => {
  const { send, sent, advance } = start();
  await send(rowsOf(1, "first"));
  expect(sent).toEqual([["first 0"]]);
  await advance(100);
  await send(rowsOf(1, "second"));
  expect(sent).toEqual([["first 0"], ["second 0"]]);
});

it("wake-ups within 100 ms of another share one queue message, sent when these have passed", async () => {
  const { send, sent, advance } = start();
  await send(rowsOf(1, "first"));
  const second = send(rowsOf(2, "second"));
  await advance(60);
  expect(await send(rowsOf(1, "third"))).toBe(true);
  await advance(39);
  expect(sent).toEqual([["first 0"]]);
  await advance(1);
  expect(await second).toBe(true);
  expect(sent).toEqual([["first 0"], ["second 0", "second 1", "third 0"]]);
});

it("wake-ups of other databases do not wait", async () => {
  const { send, sent } = start();
  await send(rowsOf(1, "first"), 0);
  await send(rowsOf(1, "other"), 1);
  expect(sent).toEqual([["first 0"], ["other 0"]]);
});

it("rows of a request that was ended while it waited hold up those of later ones for a second only", async () => {
  const { send, sent, advance, lose } = start();
  await send(rowsOf(1, "first"));
  void send(rowsOf(1, "lost"));
  lose();
  await advance(1_100);
  await send(rowsOf(1, "later"));
  expect(sent).toEqual([["first 0"], ["later 0"]]);
});

it("at most 1,000 rows wait for one call", async () => {
  const { send, sent, advance } = start();
  await send(rowsOf(1, "first"));
  const waiting = send(rowsOf(900));
  await send(rowsOf(100));
  const further = send(rowsOf(5, "further"));
  await advance(100);
  await waiting;
  expect(sent.map(({ length }) => length)).toEqual([1, 1_000]);
  await advance(100);
  await further;
  expect(sent.map(({ length }) => length)).toEqual([1, 1_000, 5]);
});
