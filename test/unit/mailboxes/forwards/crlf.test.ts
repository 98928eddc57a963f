import { describe, expect, it } from "vitest";
import { withCrLf } from "../../../../src/mailboxes/forwards/crlf.ts";
import { readOriginal } from "../../../../src/mailboxes/forwards/original.ts";
import { seeded } from "../../../support/failures.ts";

const encode = (text: string) => new TextEncoder().encode(text);

async function converted(pieces: string[]): Promise<string> {
  let text = "";
  for await (const chunk of withCrLf(pieces.map(encode))) text += new TextDecoder().decode(chunk);
  return text;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield encode(text);
}

describe("a message that is sent on", () => {
  it("has CRLF for each line end, wherever its pieces end, and one at its end", async () => {
    const random = seeded(3);
    for (let round = 0; round < 2_000; round++) {
      const pieces = Array.from({ length: Math.floor(random() * 6) }, () =>
        Array.from(
          { length: Math.floor(random() * 5) },
          () => ["\r", "\n", "\r\n", "a"][Math.floor(random() * 4)],
        ).join(""),
      );
      const lines = pieces.join("").replace(/\r\n|\r|\n/g, "\r\n");
      expect(await converted(pieces), JSON.stringify(pieces)).toBe(lines.endsWith("\r\n") ? lines : `${lines}\r\n`);
    }
  });

  it("is described by one reading", async () => {
    const { size, head, isEightBitHead, isEightBitBody } = await readOriginal(once("A: b\r\nC: d\r\n\r\né\r\n"));
    expect([size, new TextDecoder().decode(head ?? undefined), isEightBitHead, isEightBitBody]).toEqual([
      18,
      "A: b\r\nC: d\r\n",
      false,
      true,
    ]);
    const large = await readOriginal(once(`A: ${"é".repeat(200_000)}\r\n\r\nbody\r\n`));
    expect([large.head, large.isEightBitHead, large.isEightBitBody]).toEqual([null, true, false]);
  });
});
