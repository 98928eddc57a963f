import { describe, expect, it } from "vitest";
import { hoursToClose } from "../../../../src/operations/retention/rules.ts";

const HOUR_MS = 3_600_000;

describe("hours to close", () => {
  it("are those that ended 90 seconds ago, a day at a time", () => {
    const at = (hour: number, seconds: number) => hour * HOUR_MS + seconds * 1000;
    expect(hoursToClose(9, at(11, 89))).toEqual([]);
    expect(hoursToClose(9, at(11, 90))).toEqual([{ first: 10, last: 10 }]);
    expect(hoursToClose(10, at(11, 90))).toEqual([]);
    expect(hoursToClose(9, at(41, 90))).toEqual([
      { first: 10, last: 33 },
      { first: 34, last: 40 },
    ]);
  });
});
