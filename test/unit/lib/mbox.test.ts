import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MboxQuoter } from "../../../src/lib/mbox/quote.ts";
import { readMbox } from "../../../src/lib/mbox/read.ts";
import { HOSTILE_MBOX } from "../../mail/hostile-inputs.ts";

const AT = "Sat Nov 21 14:12:48 2026";
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
        const file = messages.map((text) => `From x ${AT}\r\n${quote(encode(text), first)}`).join("");
        const found = await read(file, second);
        // The line breaks that end a message are those of the file; a size in the message tells them apart.
        expect(found.map((text, index) => text?.slice(0, messages[index]?.length))).toEqual(messages);
      }),
      { numRuns: 300 },
    );
  });

  it("of other programs is split at `From ` after an empty line only", async () => {
    const file = `From a ${AT}\nSubject: 1\n\nx\nFrom b ${AT}\n>From x\n\nFrom b ${AT}\r\nSubject: 2\r\n\r\nText\r\n\r\n`;
    expect(await read(file)).toEqual([`Subject: 1\n\nx\nFrom b ${AT}\nFrom x\n`, "Subject: 2\r\n\r\nText\r\n"]);
  });

  it.each([
    ["ctime", `ann@example.org ${AT}`],
    ["Mozilla", `- ${AT}`],
    ["Google", "1790023423423@xxx Sat Nov 21 14:12:48 +0000 2026"],
    ["mutt", "ann@example.org Sat Nov 21 14:12 2026"],
    ["Unix", "ann Sat Nov  3 14:12:48 CET 2026 remote from host"],
    ["a server in a zone of two words", "ann@example.org Sat Nov 21 14:12:48 MET DST 2026"],
    ["a program with a colon in the zone", "ann@example.org Sat Nov 21 14:12:48 -05:00 2026"],
    ["a quoted local part", `"a b"@example.org ${AT}`],
  ])("has separators as %s writes them, however it is cut", async (_, separator) => {
    const file = `From a ${AT}\nSubject: 1\n\nx\n\nFrom ${separator}\nSubject: 2\n\ny\n`;
    const expected = ["Subject: 1\n\nx\n", "Subject: 2\n\ny\n"];
    for (let place = 0; place < file.length; place++) expect(await read(file, [place])).toEqual(expected);
    expect(
      await read(
        file,
        [...file].map((_, place) => place),
      ),
    ).toEqual(expected);
  });

  it("keeps each line that begins with `From ` and has no address or no date, since it is text", async () => {
    const first =
      "Subject: account team\n\nUpdate;\n\nFrom my (non technical) side:\n\n* latency\n\nFrom bob@example.org with love\n>From here on\n>>From here twice\n";
    const file = `From ann@example.org ${AT}\n${first}\nFrom - ${AT}\n>From - Sat Apr 12 2025 15:59:28\nSubject: second\n\nThe second.\n`;
    expect(await read(file)).toEqual([
      first.replaceAll("\n>", "\n"),
      "From - Sat Apr 12 2025 15:59:28\nSubject: second\n\nThe second.\n",
    ]);
    const monday = "Subject: m1\n\nDear all,\n\nFrom Monday on the office is closed.\n\nBye\n";
    expect(await read(`From a@example.org ${AT}\n${monday}`)).toEqual([monday]);
  });

  it("may begin with a byte order mark", async () => {
    for (const place of [0, 1, 2, 3, 4])
      expect(await read(`\ufeffFrom a ${AT}\nSubject: 1\n`, [place])).toEqual(["Subject: 1\n"]);
  });

  it("that begins with other text, is empty, or ends within a separator gives the messages that are there", async () => {
    expect(await read("")).toEqual([]);
    expect(await read("no separator\n\nat all\n")).toEqual([]);
    expect(await read("junk\n\nFrom a\nSubject: 1\n")).toEqual(["Subject: 1\n"]);
    expect(await read("From a")).toEqual([""]);
    expect(await read(`From a\nx\n\nFrom b ${AT}`)).toEqual(["x\n", ""]);
    expect(await read("From a\nx\n\nFrom ")).toEqual(["x\n\nFrom "]);
    expect(await read("From a\nx\n\nFrom", [18])).toEqual(["x\n\nFrom"]);
  });

  it("skips a message beyond the limit and goes on with the next", async () => {
    const file = `From a\n${"x\n".repeat(1_000)}\nFrom b ${AT}\nSubject: 2\n\n`;
    expect(await read(file, [], 100)).toEqual([null, "Subject: 2\n"]);
  });

  it("of 8 MB without a line break, of line breaks, or of `>` is read", async () => {
    for (const text of HOSTILE_MBOX)
      expect((await read(`From a\n${text}`, [1_000_000, 2_000_001], 25_000_000)).length).toBe(1);
  });
});
