import { describe, expect, it } from "vitest";
import { formatShortTime, formatTime, isTimeZone, timeZones } from "../../src/lib/local-time.ts";

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
