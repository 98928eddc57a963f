import { describe, expect, it } from "vitest";
import { parseMessage } from "../../../../src/mail/messages/parse.ts";
import { readParameters } from "../../../../src/mail/texts/parameters.ts";

describe("parameters of a field (RFC 2045 5.1, RFC 2231)", () => {
  const mixed = `filename*1="%25 of it "; filename*0*=utf-8'de'Gr%C3%BC%C3%9Fe%20100; filename*2*=%E2%9C%93.txt; filename="fallback.txt"`;
  it.each([
    ["sections of which some are encoded, in any order", mixed, "Grüße 100%25 of it ✓.txt"],
    ["a character that two encoded sections split", "filename*0*=utf-8''%C3; filename*1*=%BC.txt", "ü.txt"],
    ["sections of which none is encoded", 'filename*0="a b"; filename*1=".txt"', "a b.txt"],
    ["a section that is missing", "filename*0=a; filename*2=c", "a"],
    ["a charset", "filename*=iso-8859-1'en'%A3%20rates", "£ rates"],
    ["an encoded value without a charset", "filename*=caf%C3%A9.txt", "café.txt"],
    ["a plain value before the encoded one", "filename=a.txt; filename*=utf-8''%C3%BC", "ü"],
    ["two plain values", "filename=a; FileName=b", "a"],
    ["escapes in quotes", String.raw`filename="a \"b\" \\c"`, String.raw`a "b" \c`],
    ["what looks like an escape in a plain value", "filename=100%25.txt", "100%25.txt"],
  ])("with %s are read", (_, value, expected) => {
    expect(readParameters(`attachment; ${value}`).get("filename")).toBe(expected);
  });

  it("name files by encoded-words, also when these are continued", () => {
    const value = 'filename*0="=?utf-8?Q?caf=C3?= ="; filename*1="?utf-8?Q?=A9.pdf?="';
    const [part] = parseMessage(
      new TextEncoder().encode(`Content-Type: a/b\r\nContent-Disposition: attachment; ${value}\r\n\r\nx`),
    ).parts;
    expect(part?.filename).toBe("café.pdf");
  });

  it("give a multipart its boundary, also encoded and in sections", () => {
    for (const boundary of [
      "boundary*0=a; boundary*1=b",
      "boundary*=us-ascii''a%62",
      "boundary*0*=''%61; boundary*1=b",
    ]) {
      const head = `Content-Type: multipart/mixed; ${boundary}\r\n\r\n`;
      const raw = new TextEncoder().encode(`${head}--ab\r\n\r\none\r\n--ab\r\n\r\ntwo\r\n--ab--\r\n`);
      expect(parseMessage(raw).parts.map(({ partId, length }) => [partId, length])).toEqual([
        ["1", 3],
        ["2", 3],
      ]);
    }
  });
});
