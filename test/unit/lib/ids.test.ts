import { describe, expect, it } from "vitest";
import { hex, isUuid, uuidv7 } from "../../../src/lib/ids.ts";

const LATER = Date.parse("2099-01-01T00:00:00Z");

describe("uuidv7", () => {
  it("returns different ids in ascending order, also beyond 4,096 in one millisecond and when the clock steps back", () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => uuidv7(LATER - (index % 3)));
    expect(ids.filter((id) => !isUuid(id))).toEqual([]);
    expect(ids.toSorted()).toEqual(ids);
    // The last 64 bits are random: the variant, then 62 bits.
    const tails = ids.map((id) => id.slice(19));
    expect(new Set(tails).size).toBe(ids.length);
    expect(tails.filter((tail) => !/^[89ab]/.test(tail))).toEqual([]);
  });

  it("begins with the milliseconds and has version 7", () => {
    const at = LATER + 60_000;
    const id = uuidv7(at);
    expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(at);
    expect(id[14]).toBe("7");
  });
});

it("hex writes two digits for each byte", () => {
  expect(hex(Uint8Array.from([0, 1, 15, 16, 127, 255]))).toBe("00010f107fff");
});
