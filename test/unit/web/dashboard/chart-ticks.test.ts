import { describe, expect, it } from "vitest";
import { placesOf, ticksOf } from "../../../../src/http/ui/chart-ticks.ts";

const HOUR = 3_600_000;
const days = (count: number) =>
  Array.from({ length: count }, (_, day) => new Date(Date.UTC(2026, 10, 1 + day)).toISOString().slice(0, 10));
const hours = (count: number, from = Date.UTC(2026, 10, 20, 15)) =>
  Array.from({ length: count }, (_, hour) => new Date(from + hour * HOUR).toISOString().slice(0, 16).replace("T", " "));

describe("the vertical axis of a chart", () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [2, [0, 1, 2]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [40, [0, 10, 20, 30, 40]],
    [99, [0, 25, 50, 75, 100]],
    [101, [0, 50, 100, 150]],
    [990, [0, 250, 500, 750, 1_000]],
    [12_345, [0, 5_000, 10_000, 15_000]],
  ])("has ticks at round values up to at least %d", (greatest, ticks) => {
    expect(ticksOf(greatest)).toEqual(ticks);
  });

  it("has at most five ticks, of whole numbers, and no step that is not needed, whatever the values", () => {
    for (let greatest = 1; greatest < 3_000_000; greatest = Math.ceil(greatest * 1.07)) {
      const ticks = ticksOf(greatest);
      expect(ticks.length, String(greatest)).toBeLessThanOrEqual(5);
      expect(ticks.every(Number.isInteger), String(greatest)).toBe(true);
      expect(ticks.at(-1), String(greatest)).toBeGreaterThanOrEqual(greatest);
      expect(ticks.at(-2), String(greatest)).toBeLessThan(greatest);
    }
  });
});

describe("the horizontal axis of a chart", () => {
  it("has each of seven days, and the last of more days with others at equal distances", () => {
    expect(placesOf(days(7)).map(({ text }) => text)).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => `${day} Nov`));
    expect(placesOf(days(30)).map(({ text }) => text)).toEqual([5, 10, 15, 20, 25, 30].map((day) => `${day} Nov`));
    expect(placesOf(days(91)).map(({ index }) => index)).toEqual([6, 20, 34, 48, 62, 76, 90]);
  });

  it("has round hours of a day, with the day at midnight, and the days of a week of hours", () => {
    expect(placesOf(hours(24)).map(({ text }) => text)).toEqual([
      ...["15:00", "18:00", "21:00", "21 Nov", "03:00", "06:00", "09:00", "12:00"],
    ]);
    expect(placesOf(hours(168)).map(({ text }) => text)).toEqual(
      [21, 22, 23, 24, 25, 26, 27].map((day) => `${day} Nov`),
    );
  });
});
