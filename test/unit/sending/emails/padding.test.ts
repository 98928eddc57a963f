import { describe, expect, it } from "vitest";
import { contentPadding } from "../../../../src/sending/emails/content/padding.ts";

/** Bytes of a row that stay in its page, when the row has this many bytes (SQLite file format 1.6). */
function localBytes(row: number): number {
  const [usable, least] = [4_096, 489];
  if (row <= usable - 35) return row;
  const local = least + ((row - least) % (usable - 4));
  return local <= usable - 35 ? local : least;
}

describe("the spaces after the content of a row", () => {
  it("leave at most 800 bytes of the row in its page, for every length of content and of the other columns", () => {
    for (let content = 257; content <= 16_384; content += 13) {
      for (const texts of [400, 700, 2_000, 3_900]) {
        // The header and the numbers take 60 to 140 bytes.
        for (const header of [60, 140]) {
          const row = header + texts + content + contentPadding(content, texts);
          expect(localBytes(row), `${content} and ${texts}`).toBeLessThanOrEqual(800);
        }
      }
    }
  });

  it("are less than one page, and none for short content", () => {
    expect(contentPadding(256, 700)).toBe(0);
    for (let content = 5_000; content < 9_500; content++) expect(contentPadding(content, 700)).toBeLessThan(4_096);
  });
});
