/** How fast one source address sends to one receiver. */
import { describe, expect, it } from "vitest";
import {
  backOff,
  connectionsOf,
  leavePlaces,
  newPace,
  noteAccepted,
  noteFailedProbe,
  noteSlowDown,
  type Pace,
  pauseUntil,
  takePlace,
  takeTurn,
} from "../../../smtp-egress/pace.ts";
import type { PaceLimits } from "../../../smtp-egress/receivers/types.ts";

const T0 = Date.UTC(2026, 10, 23);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** One message a second. */
const limits: PaceLimits = { connections: 8, messagesPerConnection: 50, messagesPerMinute: 60 };

/** Takes places for `count` messages at once and returns their waits. */
function take(pace: Pace, count: number, now: number, arrival = {}) {
  const waits: number[] = [];
  for (let n = 0; n < count; n++) {
    const taken = takePlace(pace, limits, now, arrival);
    pace = taken.pace;
    waits.push(taken.waitMs);
  }
  return { pace, waits };
}

describe("a place in the line", () => {
  it("lets the n-th message wait n divided by the rate", () => {
    const { waits } = take(newPace(limits, T0), 5, T0);
    expect(waits).toEqual([0, 1 * SECOND, 2 * SECOND, 3 * SECOND, 4 * SECOND]);
  });

  it("lets it wait once: it is taken when it comes back, and newcomers are behind those that wait", () => {
    let { pace } = take(newPace(limits, T0), 4, T0);
    for (const second of [1, 2, 3]) {
      const back = takePlace(pace, limits, T0 + second * SECOND);
      expect([second, back.waitMs]).toEqual([second, 0]);
      pace = back.pace;
    }
    expect(takePlace(pace, limits, T0 + 3 * SECOND)).toMatchObject({ waitMs: SECOND });
  });

  it("is kept for one that comes back late, and a newcomer takes its own", () => {
    const { pace } = take(newPace(limits, T0), 3, T0);
    const newcomer = takePlace(pace, limits, T0 + 2 * SECOND, { isReturning: false });
    expect(newcomer.waitMs).toBe(SECOND);
    const { waits } = take(newcomer.pace, 2, T0 + 2 * SECOND, { isReturning: true });
    expect(waits).toEqual([0, 0]);
  });

  it("is not due before its time", () => {
    const { pace } = take(newPace(limits, T0), 3, T0);
    expect(takePlace(pace, limits, T0 + 999).waitMs).toBeGreaterThan(1_000);
  });

  it("is not kept for messages that never come back: after hours two minutes of the rate are taken at once, not more", () => {
    const { pace } = take(newPace(limits, T0), 1_000, T0);
    const { waits } = take(pace, 1_000, T0 + 2 * 3_600 * SECOND);
    expect(waits.filter((wait) => wait === 0).length).toBe(120 + 1);
  });

  it("within the time that the caller keeps messages is at once and needs no return", () => {
    const held = { holdMs: 2 * SECOND };
    const first = take(newPace(limits, T0), 3, T0, held);
    expect(first.waits).toEqual([0, SECOND, 2 * SECOND]);
    expect(first.pace.waiting).toBe(0);
    const told = takePlace(first.pace, limits, T0, held);
    expect([told.waitMs, told.pace.waiting]).toEqual([3 * SECOND, 1]);
    // Behind one that went away none is kept.
    const behind = takePlace(told.pace, limits, T0 + 2.5 * SECOND, held);
    expect([behind.waitMs, behind.pace.waiting]).toEqual([2 * SECOND + 1, 2]);
  });

  it("never depends on the clock going back", () => {
    const { pace } = take(newPace(limits, T0), 3, T0);
    expect(takePlace(pace, limits, T0 - MINUTE).waitMs).toBe(3 * SECOND);
  });
});

describe("messages that leave memory because the rate has fallen", () => {
  const held = { holdMs: MINUTE };
  const firstTold = (pace: Pace, left: number, kept: number) =>
    takePlace(leavePlaces(pace, { left, kept }), limits, T0).waitMs;

  it("give up their places: the first of them is told a place right behind those that stay", () => {
    const { pace } = take(newPace(limits, T0), 61, T0, held);
    expect(firstTold(pace, 50, 10)).toBe(11 * SECOND);
  });

  it("are behind those that wait elsewhere", () => {
    const { pace } = take(newPace(limits, T0), 100, T0, held);
    expect(firstTold(pace, 50, 10)).toBe(50 * SECOND);
  });

  it("are behind those that stay, also when the line begins anew", () => {
    const { pace } = take(newPace(limits, T0), 61, T0, held);
    const slowed = backOff(pace, SECOND, { now: T0, keepsLine: false });
    expect(firstTold(slowed, 50, 10)).toBe(12 * SECOND);
  });
});

describe("a wait after a slow-down", () => {
  it("keeps the places in the line, or lets all take places anew", () => {
    const { pace } = take(newPace(limits, T0), 11, T0);
    const place = (keepsLine: boolean) => takePlace(backOff(pace, SECOND, { now: T0, keepsLine }), limits, T0).waitMs;
    expect([place(true), place(false)]).toEqual([12 * SECOND, SECOND]);
  });

  it("leaves half of the connections, all when the rate is nearly what it was, and no further half for a probe that fails", () => {
    const wide = { ...newPace(limits, T0), window: 8 };
    const first = backOff(wide, SECOND, { now: T0, keepsLine: false });
    const second = backOff(first, 2 * SECOND, { now: T0 + SECOND, keepsLine: false });
    const kept = backOff(wide, SECOND, { now: T0, keepsLine: true });
    expect([first.window, second.window, kept.window]).toEqual([4, 4, 8]);
    expect(connectionsOf(second, limits, T0 + 3 * SECOND)).toBe(1);
    expect(connectionsOf(noteAccepted(second, limits), limits, T0 + 3 * SECOND)).toBe(4);
  });
});

describe("a turn to send", () => {
  it("comes at the rate, also when a hundred messages come back at once", () => {
    let pace = newPace(limits, T0);
    let now = T0;
    for (let sent = 0; sent < 100; ) {
      const turn = takeTurn(pace, limits, now);
      pace = turn.pace;
      if (turn.waitMs === 0) sent++;
      else now += turn.waitMs;
    }
    expect(now - T0).toBe(99 * SECOND);
  });

  it("does not come in a pause", () => {
    const pace = pauseUntil(newPace(limits, T0), T0 + MINUTE, T0);
    expect(takeTurn(pace, limits, T0 + SECOND).waitMs).toBe(59 * SECOND);
  });
});

describe("the window of connections", () => {
  it("grows by one after as many accepted messages as it has connections, up to the limit", () => {
    let pace = newPace(limits, T0);
    const sizes: number[] = [];
    for (let accepted = 0; accepted < 40; accepted++) {
      sizes.push(connectionsOf(pace, limits, T0));
      pace = noteAccepted(pace, limits);
    }
    expect(sizes.slice(0, 10)).toEqual([2, 2, 3, 3, 3, 4, 4, 4, 4, 5]);
    expect(sizes.at(-1)).toBe(limits.connections);
  });

  it("begins with one where the limit is one", () => {
    expect(connectionsOf(newPace({ ...limits, connections: 1 }, T0), { ...limits, connections: 1 }, T0)).toBe(1);
  });

  it("halves when the receiver asks to slow down, and never ends", () => {
    let pace: Pace = { ...newPace(limits, T0), window: 8 };
    const sizes = [1, 2, 3, 4, 5].map((n) => {
      pace = noteSlowDown(pace, T0 + n * MINUTE);
      return connectionsOf(pace, limits, T0);
    });
    expect(sizes).toEqual([4, 2, 1, 1, 1]);
  });

  it("halves once for the replies of connections that ran side by side", () => {
    let pace: Pace = { ...newPace(limits, T0), window: 8 };
    for (const ms of [0, 10, 500, 999]) pace = noteSlowDown(pace, T0 + ms);
    expect(pace.window).toBe(4);
    expect(noteSlowDown(pace, T0 + 1_000).window).toBe(2);
  });

  it("is never above limits that a rule has lowered", () => {
    expect(connectionsOf({ ...newPace(limits, T0), window: 8 }, { ...limits, connections: 1 }, T0)).toBe(1);
  });
});

describe("a pause", () => {
  const end = T0 + 30 * MINUTE;
  const paused = () => pauseUntil(take(newPace(limits, T0), 10, T0).pace, end, T0);

  it("has no connection, and the line stands still: places count from its end", () => {
    expect(connectionsOf(paused(), limits, T0)).toBe(0);
    const { waits } = take(paused(), 4, T0 + 10 * MINUTE);
    expect(waits.map((wait) => wait - 20 * MINUTE)).toEqual([1, 2, 3, 4].map((n) => n * SECOND));
  });

  it("is followed by no burst, however many waited and however long it took", () => {
    const { pace } = take(paused(), 500, T0 + MINUTE);
    let now = end;
    let sent = 0;
    for (let state = pace; now < end + MINUTE; ) {
      const turn = takeTurn(state, limits, now);
      state = turn.pace;
      if (turn.waitMs === 0) sent++;
      now += turn.waitMs;
    }
    expect(sent).toBeLessThanOrEqual(60);
    expect(take(pauseUntil(newPace(limits, T0), end, T0), 5, end).waits).toEqual(
      [1, 2, 3, 4, 5].map((n) => n * SECOND),
    );
  });

  it("ends with a probe on one connection, and one accepted message ends the probe", () => {
    const pace = paused();
    expect([connectionsOf(pace, limits, end), pace.isProbing]).toEqual([1, true]);
    const open = noteAccepted(pace, limits);
    expect([connectionsOf(open, limits, end), open.isProbing]).toEqual([1, false]);
    expect(connectionsOf(noteAccepted(open, limits), limits, end)).toBe(2);
  });

  it("begins again when its probe fails, for the same time, and again", () => {
    let pace = paused();
    for (const round of [1, 2, 3]) {
      const probeAt = T0 + round * 30 * MINUTE;
      expect(connectionsOf(pace, limits, probeAt)).toBe(1);
      pace = noteSlowDown(pace, probeAt);
      expect(pace.pausedUntil).toBe(probeAt + 30 * MINUTE);
      expect(connectionsOf(pace, limits, probeAt)).toBe(0);
    }
  });

  it("is as long as it was when replies of messages that were on their way come during it", () => {
    const pace = paused();
    expect(noteSlowDown(pace, T0 + SECOND)).toEqual(pace);
    expect(noteFailedProbe(pace, T0 + SECOND)).toEqual(pace);
    expect(pauseUntil(pace, end - MINUTE, T0)).toEqual(pace);
  });

  it("does not begin without a probe that failed", () => {
    expect(noteFailedProbe(newPace(limits, T0), T0).pausedUntil).toBe(0);
  });

  it("that is made longer voids the places, which would come back within it", () => {
    const { pace } = take(paused(), 3, T0);
    const longer = pauseUntil(pace, end + MINUTE, T0);
    expect([longer.waiting, longer.tokens]).toEqual([0, 0]);
  });
});
