import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MboxQuoter } from "../../../src/lib/mbox/quote.ts";
import { readMbox } from "../../../src/lib/mbox/read.ts";
import { HOSTILE_MBOX } from "../../mail/hostile-inputs.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array | null) => bytes && new TextDecoder().decode(bytes);

/** Cuts bytes into chunks at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
}

function quote(message: Uint8Array, places: readonly number[]): string {
  const quoter = new MboxQuoter();
  const pieces = cut(message, places).map((chunk) => decode(quoter.push(chunk)));
  return `${pieces.join("")}${decode(quoter.end())}`;
}

async function read(text: string, places: readonly number[] = [], maxBytes = 1_000_000) {
  const chunks = (async function* () {
    yield* cut(encode(text), places);
  })();
  const messages: (string | null)[] = [];
  for await (const { raw } of readMbox(chunks, maxBytes)) messages.push(decode(raw));
  return messages;
}

const line = fc.constantFrom(
  "From me",
  ">From me",
  ">>From ",
  "From",
  "F",
  ">",
  ">>",
  "From\n",
  "Fr\r",
  "",
  "\r",
  "text",
);
const message = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
const places = fc.array(fc.nat(200), { maxLength: 8 });

describe("an mbox file", () => {
  it("gives back every message that was quoted into it, however both are cut into chunks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 4 }), places, places, async (messages, first, second) => {
        const file = messages.map((text) => `From x Sat\r\n${quote(encode(text), first)}`).join("");
        const found = await read(file, second);
        // The line breaks that end a message are those of the file; a size in the message tells them apart.
        expect(found.map((text, index) => text?.slice(0, messages[index]?.length))).toEqual(messages);
      }),
      { numRuns: 300 },
    );
  });

  it("of other programs is split at `From ` after an empty line only", async () => {
    const file = "From a Sat\nSubject: 1\n\nx\nFrom there\n>From x\n\nFrom b Sat\r\nSubject: 2\r\n\r\nText\r\n\r\n";
    expect(await read(file)).toEqual(["Subject: 1\n\nx\nFrom there\nFrom x\n", "Subject: 2\r\n\r\nText\r\n"]);
  });

  it("that begins with other text, is empty, or ends within a separator gives the messages that are there", async () => {
    expect(await read("")).toEqual([]);
    expect(await read("no separator\n\nat all\n")).toEqual([]);
    expect(await read("junk\n\nFrom a\nSubject: 1\n")).toEqual(["Subject: 1\n"]);
    expect(await read("From a")).toEqual([""]);
    expect(await read("From a\nx\n\nFrom ")).toEqual(["x\n", ""]);
    expect(await read("From a\nx\n\nFrom", [18])).toEqual(["x\n\nFrom"]);
  });

  it("skips a message beyond the limit and goes on with the next", async () => {
    const file = `From a\n${"x\n".repeat(1_000)}\nFrom b\nSubject: 2\n\n`;
    expect(await read(file, [], 100)).toEqual([null, "Subject: 2\n"]);
  });

  it("of 8 MB without a line break, of line breaks, or of `>` is read", async () => {
    for (const text of HOSTILE_MBOX)
      expect((await read(`From a\n${text}`, [1_000_000, 2_000_001], 25_000_000)).length).toBe(1);
  });
});
