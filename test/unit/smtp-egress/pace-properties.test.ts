/** Properties of the pace that hold for every order of events, with seeded random numbers. */
import { describe, expect, it } from "vitest";
import {
  connectionsOf,
  newPace,
  noteAccepted,
  noteSlowDown,
  type Pace,
  pauseUntil,
  takePlace,
  takeTurn,
} from "../../../smtp-egress/pace.ts";
import type { PaceLimits } from "../../../smtp-egress/receivers/types.ts";
import { byExtent } from "../../host/support/extent.ts";
import { seeded } from "../../support/failures.ts";

const T0 = Date.UTC(2026, 10, 23);
const seeds = Array.from({ length: byExtent({ quick: 20, full: 200, long: 2_000 }) }, (_, seed) => seed + 1);

/** Returns random limits: from one message a minute to a hundred a second. */
function someLimits(random: () => number): PaceLimits {
  const messagesPerMinute = Math.ceil(6_000 ** random());
  return { connections: 1 + Math.floor(random() * 20), messagesPerConnection: 50, messagesPerMinute };
}

describe.each(seeds)("with seed %i", (seed) => {
  it("the window stays from 1 to the limit, the waits are not negative, and a pause has no connection", () => {
    const random = seeded(seed);
    const limits = someLimits(random);
    let pace = newPace(limits, T0);
    let now = T0;
    for (let step = 0; step < 500; step++) {
      now += Math.floor(random() * 30_000);
      const kind = Math.floor(random() * 6);
      if (kind < 2) pace = noteAccepted(pace, limits);
      else if (kind === 2) pace = noteSlowDown(pace, now);
      else if (kind === 3 && random() < 0.1) pace = pauseUntil(pace, now + random() * 3_600_000, now);
      else {
        const taken = kind === 4 ? takePlace(pace, limits, now) : takeTurn(pace, limits, now);
        expect(taken.waitMs).toBeGreaterThanOrEqual(Math.max(0, Math.floor(pace.pausedUntil - now)));
        pace = taken.pace;
      }
      const connections = connectionsOf(pace, limits, now);
      expect(connections).toBeLessThanOrEqual(limits.connections);
      expect(connections > 0).toBe(now >= pace.pausedUntil);
      expect(pace.waiting).toBeGreaterThanOrEqual(0);
      expect(pace.turns).toBeGreaterThanOrEqual(0);
    }
  });

  it("everyone who comes back at the told time is taken, and no second has more than the rate and one burst", () => {
    const random = seeded(seed);
    const limits = { ...someLimits(random), messagesPerMinute: 60 + Math.floor(random() * 6_000) };
    const { taken, waits } = simulate(limits, random, 400);
    expect(Math.max(...waits)).toBe(1);
    const perSecond = limits.messagesPerMinute / 60;
    for (const from of taken) {
      const within = taken.filter((at) => at >= from && at < from + 1_000).length;
      expect(within).toBeLessThanOrEqual(Math.ceil(2 * perSecond) + 2);
    }
    // Nothing of the rate is lost while messages wait.
    const busy = (Math.max(...taken) - T0) / 1_000;
    expect(taken.length).toBeGreaterThanOrEqual(Math.floor(busy * perSecond));
  });

  it("turns never exceed the rate and one burst in any minute, with pauses between them", () => {
    const random = seeded(seed);
    const limits = someLimits(random);
    const sent: number[] = [];
    let pace = newPace(limits, T0);
    for (let now = T0, step = 0; step < 1_000; step++) {
      if (random() < 0.01) pace = pauseUntil(pace, now + random() * 120_000, now);
      const turn = takeTurn(pace, limits, now);
      pace = turn.pace;
      if (turn.waitMs === 0) sent.push(now);
      now += turn.waitMs + (random() < 0.5 ? 0 : Math.floor(random() * 200));
    }
    const most = limits.messagesPerMinute + Math.max(1, limits.messagesPerMinute / 60) + 1;
    for (const [n, at] of sent.entries()) {
      const first = sent[n - Math.ceil(most)];
      if (first !== undefined) expect(at - first).toBeGreaterThanOrEqual(60_000 - 1);
    }
  });
});

/** Lets messages come at random times within a second, and come back when they were told to. Returns when each was taken. */
function simulate(limits: PaceLimits, random: () => number, count: number) {
  let pace: Pace = newPace(limits, T0);
  const events = Array.from({ length: count }, () => ({ at: T0 + Math.floor(random() * 1_000), waits: 0 }));
  const taken: number[] = [];
  const waits: number[] = [];
  while (events.length > 0) {
    // Of those at the same time, the ones that come back are first.
    events.sort((a, b) => b.at - a.at || a.waits - b.waits);
    const next = events.pop();
    if (!next) break;
    const place = takePlace(pace, limits, next.at, { isReturning: next.waits > 0 });
    pace = place.pace;
    if (place.waitMs > 0) events.push({ at: next.at + place.waitMs, waits: next.waits + 1 });
    else {
      taken.push(next.at);
      waits.push(next.waits);
    }
  }
  return { taken, waits };
}
