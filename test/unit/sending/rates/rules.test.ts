import { describe, expect, it } from "vitest";
import { isPausedSource, pausedSources } from "../../../../src/platform/bulk-pauses/rules.ts";
import { countsSince, NO_RATE_COUNTS, pauseOf } from "../../../../src/sending/rates/rules.ts";

const limits = { bouncePercent: 5, complaintPercent: 0.3, leastEmails: 200 };
const counts = (sent: number, bounced: number, complained = 0) => ({ sent, bounced, softBounced: 0, complained });

describe("a workspace stops itself", () => {
  it.each([
    [199, 199, 0, 0],
    [200, 10, 0, 0],
    [200, 11, 0, 1],
    [200, 20, 0, 1],
    [200, 21, 0, 2],
    [1_000, 0, 3, 0],
    [1_000, 0, 4, 1],
    [1_000, 0, 6, 1],
    [1_000, 0, 7, 2],
  ])("with %i recipients, %i bounces and %i complaints: %i", (sent, bounced, complained, pause) => {
    expect(pauseOf(counts(sent, bounced, complained), limits)).toBe(pause);
  });

  it("never by a rate whose limit is 0, and not for soft bounces", () => {
    const off = { ...limits, bouncePercent: 0, complaintPercent: 0 };
    expect(pauseOf(counts(1_000, 900, 900), off)).toBe(0);
    expect(pauseOf({ ...counts(1_000, 0), softBounced: 900 }, limits)).toBe(0);
  });
});

describe("the sources that wait", () => {
  it("are mail to lists first, then everything but api, smtp, inbox and system", () => {
    expect([pausedSources(0), pausedSources(1), pausedSources(2)]).toEqual([
      [],
      ["bulk", "broadcast", "automation"],
      ["bulk", "broadcast", "automation", "batch"],
    ]);
    for (const source of ["api", "smtp", "inbox", "system"]) expect(isPausedSource(2, source)).toBe(false);
    expect([isPausedSource(1, "a-new-source"), isPausedSource(2, "a-new-source")]).toEqual([false, true]);
  });
});

describe("counts since a snapshot", () => {
  const hours = [
    { hour: 9, counts: counts(1_000, 5) },
    { hour: 10, counts: counts(100, 3) },
  ];

  it("are those of this hour and the one before, without what the snapshot had", () => {
    expect(countsSince(hours, 10, { hour: 9, counts: counts(900, 4) })).toEqual(counts(200, 4));
    expect(countsSince(hours, 10, { hour: 10, counts: counts(60, 3) })).toEqual(counts(40, 0));
    expect(countsSince(hours, 10, null)).toEqual(counts(1_100, 8));
  });

  it("are never negative: a complaint of a bounced recipient takes its bounce away", () => {
    expect(countsSince([{ hour: 10, counts: counts(5, 0) }], 10, { hour: 10, counts: counts(5, 1) })).toEqual(
      NO_RATE_COUNTS,
    );
  });
});
