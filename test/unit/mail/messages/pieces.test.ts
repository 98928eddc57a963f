import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { MessageParser, type ParsedMessage, parseMessage } from "../../../../src/mail/messages/parse.ts";
import { bombMessages } from "../../../support/bomb-messages.ts";

const SIZE = 3_000_000;
const LINE = `${"QUJD".repeat(19)}\r\n`;

const shown = (parsed: ParsedMessage) => JSON.stringify({ ...parsed, fields: [...parsed.fields.entries()] });

function parsePieces(raw: Uint8Array, bytes: number) {
  const body = createHash("sha256");
  const parser = new MessageParser({ body });
  for (let at = 0; at < raw.length; at += bytes) parser.push(raw.subarray(at, at + bytes));
  return { parsed: parser.end(), bodyHash: body.digest("hex") };
}

/** Parts whose boundaries are at and around the places where the window of the parser moves. */
function manyParts(): Uint8Array {
  const parts = Array.from({ length: 40 }, (_, index) => {
    const disposition = `Content-Disposition: attachment; filename="${index}.bin"`;
    const body = `${LINE.repeat(Math.floor(70_000 / LINE.length))}${"Q".repeat(index * 7)}`;
    return `--out\r\n${disposition}\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`;
  });
  const text = `--out\r\nContent-Type: multipart/alternative; boundary=in\r\n\r\n--in\r\n\r\nText\r\n--in\r\nContent-Type: text/html\r\n\r\n<p>Html\r\n--in--\r\n`;
  const header = "From: a@example.org\r\nSubject: big\r\nContent-Type: multipart/mixed; boundary=out\r\n\r\n";
  return new TextEncoder().encode(`${header}${text}${parts.join("")}--out--\r\n`);
}

describe("a message that arrives in pieces", () => {
  const messages = [
    { name: "40 attachments", raw: manyParts() },
    { name: "a header without an end", raw: new TextEncoder().encode(`Subject: a\r\nX: ${"b".repeat(SIZE)}`) },
    { name: "no bytes", raw: new Uint8Array() },
    ...bombMessages.map(({ name, make }) => ({ name, raw: make(SIZE).subarray(0, SIZE) })),
  ];

  for (const { name, raw } of messages) {
    it(`is parsed as the whole one is: ${name}`, () => {
      const whole = parseMessage(raw);
      const bodyHash = createHash("sha256").update(raw.subarray(whole.headerSize)).digest("hex");
      for (const bytes of [65_536, 1_000_003]) {
        const pieces = parsePieces(raw, bytes);
        expect(shown(pieces.parsed) === shown(whole), `${bytes} at once`).toBe(true);
        expect(pieces.bodyHash).toBe(bodyHash);
      }
    });
  }

  it("has each attachment at its place", () => {
    const raw = manyParts();
    const { parts, text } = parsePieces(raw, 65_536).parsed;
    expect([parts.length, text]).toEqual([42, "Text"]);
    const lengths = parts.slice(2).map(({ at, length }) => {
      const before = new TextDecoder().decode(raw.subarray(at - 4, at));
      const after = new TextDecoder().decode(raw.subarray(at + length, at + length + 7));
      return [before, after, length % LINE.length];
    });
    expect(lengths).toEqual(
      Array.from({ length: 40 }, (_, index) => ["\r\n\r\n", "\r\n--out", (index * 7) % LINE.length]),
    );
  });
});
