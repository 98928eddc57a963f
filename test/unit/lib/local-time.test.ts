import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatAgo,
  formatShortTime,
  formatTime,
  formatWhole,
  fromLocalMinute,
  isTimeZone,
  textOfTime,
  timeZones,
  toLocalMinute,
} from "../../../src/lib/local-time.ts";

const at = new Date("2026-11-21T23:05:09Z");

describe("times of pages", () => {
  it("are in the zone of the viewer, also where it is another day or has summer time", () => {
    expect(formatTime(at, "UTC")).toBe("21 Nov 2026, 23:05 UTC");
    expect(formatTime(at, "Asia/Tokyo")).toBe("22 Nov 2026, 08:05");
    expect(formatTime(at, "Asia/Kathmandu")).toBe("22 Nov 2026, 04:50");
    expect(formatTime(at, "America/New_York")).toBe("21 Nov 2026, 18:05");
    expect(formatTime(new Date("2026-07-01T00:00:00Z"), "Europe/Berlin")).toBe("1 Jul 2026, 02:00");
    expect(formatTime(new Date("2026-07-01T22:00:00Z"), "Europe/Berlin")).toBe("2 Jul 2026, 00:00");
  });

  it("have in lists no date on the day of the viewer, and no year in this year", () => {
    const now = new Date("2026-11-22T01:00:00Z");
    expect(formatShortTime(at, "Asia/Tokyo", now)).toBe("08:05");
    expect(formatShortTime(at, "UTC", now)).toBe("21 Nov");
    expect(formatShortTime(at, "Asia/Tokyo", new Date("2027-01-01T12:00:00Z"))).toBe("22 Nov 2026");
  });

  it("say how long ago they were, or how far ahead they are, within a week", () => {
    const ago = (seconds: number) => formatAgo(new Date(at.getTime() - seconds * 1_000), at);
    expect([0, 59, 60, 3_599, 3_600, 86_399, 86_400, 172_800].map(ago)).toEqual([
      ...["just now", "just now", "1 min ago", "59 min ago", "1 h ago", "23 h ago", "1 day ago", "2 days ago"],
    ]);
    expect([-1, -60, -7_200, -86_400].map(ago)).toEqual(["in a moment", "in 1 min", "in 2 h", "in 1 day"]);
    expect([ago(7 * 86_400), ago(-7 * 86_400), ago(7 * 86_400 - 1)]).toEqual([null, null, "6 days ago"]);
    const earlier = new Date("2026-10-01T12:00:00Z");
    expect(textOfTime("relative", earlier, "UTC", at)).toBe("1 Oct");
  });

  it("have a title with the whole time in the zone of the viewer and in UTC", () => {
    expect(formatWhole(at, "Asia/Tokyo")).toBe("22 Nov 2026, 08:05 · 21 Nov 2026, 23:05 UTC");
    expect(formatWhole(at, "UTC")).toBe("21 Nov 2026, 23:05 UTC");
    expect(textOfTime("seconds", at, "Asia/Tokyo", at)).toBe("22 Nov 2026, 08:05:09");
  });

  it("are in UTC, and say so, in a zone that does not exist", () => {
    for (const zone of ["", "Mars/Olympus", "+01:00", "x".repeat(65), "../etc", "<b>"]) {
      expect([zone, isTimeZone(zone), formatTime(at, zone)]).toEqual([zone, false, "21 Nov 2026, 23:05 UTC"]);
      expect(formatShortTime(at, zone, at)).toBe("23:05");
    }
  });

  it("can be in every zone that is offered", () => {
    const zones = timeZones();
    expect(zones.length).toBeGreaterThan(300);
    expect(zones).toEqual(expect.arrayContaining(["UTC", "Europe/Berlin"]));
    expect(zones.filter((zone) => !isTimeZone(zone))).toEqual([]);
  });
});

describe("fields for date and time", () => {
  const timeOf = (text: string, zone: string) => fromLocalMinute(text, zone)?.toISOString();

  it("mean a time in the zone of their form, in summer and in winter", () => {
    expect(toLocalMinute(at, "Asia/Kathmandu")).toBe("2026-11-22T04:50");
    expect(timeOf("2026-11-22T04:50", "Asia/Kathmandu")).toBe("2026-11-21T23:05:00.000Z");
    expect(timeOf("2026-07-01T12:00", "Europe/Berlin")).toBe("2026-07-01T10:00:00.000Z");
    expect(timeOf("2026-12-01T12:00", "Europe/Berlin")).toBe("2026-12-01T11:00:00.000Z");
    expect(timeOf("2026-12-01T00:00", "UTC")).toBe("2026-12-01T00:00:00.000Z");
  });

  it("mean the first of two equal times, and one an hour later where there is none", () => {
    expect(timeOf("2026-10-25T02:30", "Europe/Berlin")).toBe("2026-10-25T00:30:00.000Z");
    expect(timeOf("2026-03-29T02:30", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
    expect(timeOf("2026-11-01T01:30", "America/New_York")).toBe("2026-11-01T05:30:00.000Z");
    expect(timeOf("2026-03-08T02:30", "America/New_York")).toBe("2026-03-08T07:30:00.000Z");
    // Half an hour only.
    expect(timeOf("2026-10-04T02:15", "Australia/Lord_Howe")).toBe("2026-10-03T15:45:00.000Z");
  });

  it("mean no time when they have another form, or their zone is unknown", () => {
    for (const text of ["", "tomorrow", "2026-13-01T00:00", "2026-11-21", "2026-11-21T23:05Z", "2026-11-21T23:05\0"])
      expect(fromLocalMinute(text, "UTC"), text).toBeNull();
    for (const zone of ["", "Mars/Olympus", "+01:00"]) expect(fromLocalMinute("2026-11-21T23:05", zone)).toBeNull();
  });

  it("show again what was read from them, in every zone and at any time", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...timeZones()),
        fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) }),
        (zone, ms) => {
          const text = toLocalMinute(new Date(ms), zone);
          const read = fromLocalMinute(text, zone);
          expect(read && toLocalMinute(read, zone)).toBe(text);
          expect(read?.getTime()).toBeLessThanOrEqual(ms);
        },
      ),
      { numRuns: 500 },
    );
  });
});
