import { describe, expect, it } from "vitest";
import { newcombe, quantile, wilson } from "../../../../../src/audience/broadcasts/analytics/newcombe.ts";

const z95 = quantile(0.95, 1);

describe("intervals of proportions", () => {
  it("the quantiles are those of the normal distribution", () => {
    expect(z95).toBeCloseTo(1.959963985, 7);
    expect(quantile(0.99, 1)).toBeCloseTo(2.575829304, 7);
    expect(quantile(0.5, 1)).toBeCloseTo(0.67448975, 7);
    // Three pairs at 95 %: each at 98.33 %.
    expect(quantile(0.95, 3)).toBeCloseTo(2.3939798, 7);
  });

  it("Wilson's are those of Newcombe's paper on single proportions (81 of 263, 15 of 148, 0 of 20)", () => {
    const rounded = (count: number, of: number) =>
      Object.values(wilson({ count, of }, z95)).map((value) => value.toFixed(4));
    expect(rounded(81, 263)).toEqual(["0.2553", "0.3662"]);
    expect(rounded(15, 148)).toEqual(["0.0624", "0.1605"]);
    expect(rounded(0, 20)).toEqual(["0.0000", "0.1611"]);
  });

  // Newcombe 1998, table II, method 10.
  it.each([
    [
      [56, 70],
      [48, 80],
      [0.0524, 0.3339],
    ],
    [
      [9, 10],
      [3, 10],
      [0.1705, 0.809],
    ],
    [
      [10, 10],
      [0, 20],
      [0.6791, 1],
    ],
    [
      [10, 10],
      [0, 10],
      [0.6075, 1],
    ],
  ] as const)("the difference of %j and %j has the published interval", ([a, n], [b, m], [low, high]) => {
    const found = newcombe({ count: a, of: n }, { count: b, of: m }, z95);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });
});
