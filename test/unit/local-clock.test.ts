import { describe, expect, it } from "vitest";
import { changedOffset } from "../../dev/clock/offset.ts";

const DAY = 86_400_000;

describe("the clock of the local service", () => {
  it("moves ahead by minutes, hours and days, which add up, and back to the real time", () => {
    expect(changedOffset(0, "+7d")).toBe(7 * DAY);
    expect(changedOffset(7 * DAY, "+36h")).toBe(8.5 * DAY);
    expect(changedOffset(0, "+90m")).toBe(5_400_000);
    expect(changedOffset(7 * DAY, "reset")).toBe(0);
  });

  it("takes nothing else, and is at most two years ahead", () => {
    for (const change of ["", "7d", "-1d", "+1", "+1w", "+1.5d", "+d", "now", "+9999999d"])
      expect(() => changedOffset(0, change), change).toThrow("is no change of the clock");
    expect(() => changedOffset(700 * DAY, "+31d")).toThrow("two years");
  });
});
