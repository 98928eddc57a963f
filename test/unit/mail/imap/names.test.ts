import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Cursor, ImapSyntaxError } from "../../../../src/mail/imap/cursor.ts";
import { formatDateTime, readDate, readDateTime } from "../../../../src/mail/imap/dates.ts";
import { decodeFolderName, encodeFolderName } from "../../../../src/mail/imap/folder-names.ts";
import { membersOf, toSequenceSet } from "../../../../src/mail/imap/sequence-sets.ts";

describe("a folder name", () => {
  it("is written in modified UTF-7 as RFC 3501 shows it", () => {
    expect(encodeFolderName("~peter/mail/台北/日本語")).toBe("~peter/mail/&U,BTFw-/&ZeVnLIqe-");
    expect(encodeFolderName("a & b")).toBe("a &- b");
    expect(encodeFolderName("😀")).toBe("&2D3eAA-");
  });

  it("is the same after it was written and read", () => {
    const name = fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(name, (text) => {
        expect(decodeFolderName(encodeFolderName(text))).toBe(text);
      }),
    );
  });

  it.each(["&", "&Jjo", "&Jjo!", "&AGE-", "&2D0-", "ü", "&AA-", "&Jjo-&Jjo-", "a&b-c&-&"])(
    "is not read from %s",
    (text) => {
      expect(() => decodeFolderName(text)).toThrow("modified UTF-7");
    },
  );
});

describe("a sequence set", () => {
  it("names each member once and in order", () => {
    const numbers = [2, 3, 5, 8, 9];
    expect(
      membersOf(
        [
          [9, 8],
          [1, 3],
          [2, 5],
        ],
        numbers,
      ),
    ).toEqual([2, 3, 5, 8, 9]);
    expect(membersOf([[4, 4]], numbers)).toEqual([]);
    expect(membersOf([[Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]], numbers)).toEqual([9]);
  });

  it("reaches the last member by *, also from above it", () => {
    expect(membersOf([[20, Number.POSITIVE_INFINITY]], [2, 9])).toEqual([9]);
    expect(membersOf([[1, Number.POSITIVE_INFINITY]], [])).toEqual([]);
  });

  it("has the members of a plain loop", () => {
    const end = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(Number.POSITIVE_INFINITY));
    const set = fc.array(fc.tuple(end, end), { minLength: 1, maxLength: 8 });
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 40 });
    fc.assert(
      fc.property(set, numbers, (ranges, unsorted) => {
        const sorted = [...unsorted].sort((one, other) => one - other);
        const resolve = (value: number) => (value === Number.POSITIVE_INFINITY ? (sorted.at(-1) ?? 0) : value);
        const expected = sorted.filter((number) =>
          ranges.some(([one, other]) => {
            const [from, to] = [resolve(one), resolve(other)].sort((a, b) => a - b);
            return number >= (from ?? 0) && number <= (to ?? 0);
          }),
        );
        expect(membersOf(ranges, sorted)).toEqual(expected);
        if (expected.length > 0) expect(fromText(toSequenceSet(expected))).toEqual(expected);
      }),
    );
  });
});

const fromText = (text: string) =>
  text.split(",").flatMap((range) => {
    const [from = 0, to = from] = range.split(":").map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });

describe("a date", () => {
  it.each([
    ["3-Feb-2025 18:28:47 +0000", "2025-02-03T18:28:47.000Z"],
    [" 3-feb-2025 18:28:47 +0130", "2025-02-03T16:58:47.000Z"],
    ["31-Dec-2016 23:59:60 +0000", "2016-12-31T23:59:59.000Z"],
    ["01-Jan-1950 00:00:00 +0000", "1970-01-01T00:00:00.000Z"],
    ["31-Dec-9999 23:59:59 -0100", "9999-12-31T23:59:59.000Z"],
  ])("of APPEND is read as phones write it, and never outside 1970 to 9999 (RFC 3501 9): %s", (text, time) => {
    expect(new Date(readDateTime(new Cursor([`"${text}"`]))).toISOString()).toBe(time);
  });

  it.each([
    ...[
      "31-Feb-2000 00:00:00 +0000",
      "0-Jan-2000 00:00:00 +0000",
      "1-Foo-2000 00:00:00 +0000",
      "1-Jan-2000 24:00:00 +0000",
    ],
    ...[
      "1-Jan-2000 00:00:61 +0000",
      "1-Jan-2000 00:00 +0000",
      "1-Jan-2000 00:00:00",
      "  1-Jan-2000 00:00:00 +0000",
      "",
    ],
  ])("of APPEND that does not exist is refused: %s", (text) => {
    expect(() => readDateTime(new Cursor([`"${text}"`]))).toThrow(ImapSyntaxError);
  });

  it.each(["31-Feb-2000", "1-Foo-2000", "0-Jan-2000", "1-Jan-20", "x"])(
    "of SEARCH that does not exist is refused: %s",
    (text) => {
      expect(() => readDate(new Cursor([text]))).toThrow(ImapSyntaxError);
    },
  );

  it("is written as RFC 3501 has it", () => {
    expect(formatDateTime(837_596_665_000)).toBe('"17-Jul-1996 09:44:25 +0000"');
    expect(formatDateTime(Date.UTC(2026, 0, 2, 3, 4, 5, 999))).toBe('" 2-Jan-2026 03:04:05 +0000"');
  });
});
