import { describe, expect, it } from "vitest";
import { readHeader } from "../../../../src/mail/messages/header.ts";
import { parseMessage, readText } from "../../../../src/mail/messages/parse.ts";
import { htmlToText } from "../../../../src/mail/texts/text.ts";

/** Reads texts and fields in the charsets that mail has, also where it does not say which. */

const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const text = (bytes: string, charset: string | null, encoding = "8bit") =>
  readText(latin1(bytes), { encoding, charset, use: "text" }, 10_000);
const html = (bytes: string, charset: string | null = null) =>
  readText(latin1(bytes), { encoding: "8bit", charset, use: "html" }, 10_000);
const parse = (header: string) => parseMessage(latin1(`${header}\r\n\r\nx`));
const subject = (value: string) => parse(`Subject: ${value}`).subject;

describe("a text", () => {
  it.each(["utf-7", "ibm850", "cp437"])("in %s is read by a table, since the platform has no decoder", (charset) => {
    expect(() => new TextDecoder(charset)).toThrow(RangeError);
  });

  it.each([
    ["utf-7", "Gr+APwA3w-e, 1 +- 1 = +ADI-+2D3eAA-", "Grüße, 1 + 1 = 2\u{1f600}"],
    ["UNICODE-1-1-UTF-7", "A+ImIDkQ.", "A≢Α."],
    ["cp65000", "+++/- + x+", "\ufbef + x+"],
    ["ibm850", "Gr\x81\xe1e \xd5\x9c", "Grüßeı£".replace("ı", " ı")],
    ["cp858", "\xd5", "€"],
    ["CP437", "Gr\x81\xe1e \x9b\xff", "Grüße ¢\u00a0"],
    ["IBM437", "\x80\xb0", "Ç░"],
    ["cp932", "\x93\xfa\x96\x7b", "日本"],
    ["ms949", "\xc7\xd1", "한"],
    ["windows-1252", "\x80", "€"],
    ["iso-2022-jp-ms", "\x1b$BF|K\\\x1b(B", "日本"],
    ['"iso-8859-15"', "\xa4", "€"],
    ["no-such-charset", "\xe9", "é"],
    ["no-such-charset", "\xc3\xa9", "é"],
    [null, "\xe9", "é"],
    ["us-ascii", "\xc3\xa9", "é"],
    ["utf-8", "Gr\xfc\xc3\x9fe \xe9", "Gr\ufffdße \ufffd"],
    ["utf-8", "caf\xe9", "caf\ufffd"],
    [null, "Gr\xc3\xbc\xc3\x9fe \xe9", "Grüße \ufffd"],
    [null, "Gr\xfc\xdfe", "Grüße"],
    [null, "\x1b$BF|K\\\x1b(B", "日本"],
  ])("in %s is %j", (charset, bytes, expected) => {
    expect(text(bytes, charset)).toBe(expected);
  });

  it("that is cut off within a character of UTF-8 keeps what is before it", () => {
    for (const charset of ["utf-8", null]) expect(text("Gr\xc3\xbc\xc3", charset)).toBe("Grü\ufffd");
  });
});

describe("a body in base64", () => {
  it.each([
    ["ends at its padding", "Y2Fm\r\nZQ==\r\neHh4", "cafe"],
    ["skips what no base64 has", "Y2!\xe9Fm\0 Z Q", "cafe"],
  ])("%s", (_, bytes, expected) => {
    expect(text(bytes, "utf-8", "base64")).toBe(expected);
    const raw = latin1(`Content-Transfer-Encoding: BASE64\r\n\r\n${bytes}`);
    expect(parseMessage(raw).parts[0]?.size).toBe(expected.length);
  });
});

describe("HTML", () => {
  it.each([
    ["<meta charset", '<meta charset="iso-8859-2"><p>\xb1', null, "ą"],
    ["http-equiv", "<META http-equiv=Content-Type content='text/html; charset=windows-1251'>\xcf", null, "П"],
    ["escapes of ISO-2022-JP", "<meta charset=iso-2022-jp>\x1b$BF|\x1b(B", null, "日"],
    ["a header that says UTF-8 of what is not", "<meta charset=koi8-r>\xf0", "utf-8", "П"],
    ["its UTF-8, whatever it says", "<meta charset=iso-8859-1>\xc3\xa9", null, "é"],
    ["the charset of its header", "<meta charset=utf-8>\xe9", "iso-8859-1", "é"],
    ["no name that it has not", "<p>\xe9", null, "é"],
    ["no UTF-16, which it is not", "<meta charset=utf-16>\xe9", null, "é"],
  ])("is read by %s", (_, bytes, charset, expected) => {
    expect(html(bytes, charset).endsWith(expected)).toBe(true);
  });

  it("has each of its blocks on lines of its own, whatever follows it", () => {
    const text = htmlToText("<p>a <b>bold</b></p>b<br>c<table><tr><td>d</td></tr></table>e", 1_000);
    expect(text.split(/\n+/)).toEqual(["", "a bold", "b", "c", "d", "e"]);
  });
});

describe("encoded-words", () => {
  it.each([
    ["a character in two words of base64", "=?utf-8?B?Y2Fmww==?= =?UTF-8?B?qQ==?=", "café"],
    ["a character in two words of Q", "=?utf-8?Q?caf=C3?=\r\n =?utf-8?q?=A9?=", "café"],
    ["a character in words of both kinds", "=?utf-8?Q?caf=C3?= =?utf-8?B?qQ==?=", "café"],
    ["base64 that is cut within a group", "=?utf-8?B?5pel5p?= =?utf-8?B?ys6Kqe?=", "日本語"],
    ["a character of Shift_JIS in two words", "=?shift_jis?B?k/qW?= =?shift_jis?B?ew==?=", "日本"],
    ["words of different charsets", "=?utf-8?Q?=C3=A9?= =?iso-8859-1?Q?=E9?=", "éé"],
    ["words of UTF-7", "=?utf-7?Q?Gr+APw?= =?utf-7?Q?+AN8-e?=", "Grüße"],
    ["words of code pages", "=?ibm850?Q?=81?= =?cp437?Q?=81?=", "üü"],
    ["a language", "=?utf-8*de?Q?_=C3=BC?=", "ü"],
    ["a word of an unknown charset", "=?x-none?q?caf=C3=A9?=", "café"],
    ["raw bytes of its charset", "=?koi8-r?Q?\xf0\xd2=C9?= =?iso-8859-1?q?caf\xe9?=", "Приcafé"],
    ["raw UTF-8", "=?utf-8?Q?caf\xc3\xa9?= \xc3\xbc", "café ü"],
    ["raw bytes within base64", "=?utf-8?B?Y2\xe9Fm?=", "caf"],
    ["base64 behind its padding", "=?utf-8?B?Y2Fmw6k=eHg=?=", "café"],
    ["a word without digits of base64", "a =?utf-8?b?%%%?= b", "a  b"],
    ["text between words", "=?utf-8?Q?a?= b =?utf-8?Q?c?=", "a b c"],
    ["two words that are whole, of which one is damaged", "=?utf-8?Q?=C3?= =?utf-8?Q?abc?=", "\ufffdabc"],
    ["what is no word", "=?utf-8?X?abc?= =?utf-8?Q?abc", "=?utf-8?X?abc?= =?utf-8?Q?abc"],
  ])("with %s", (_, value, expected) => {
    expect(subject(value)).toBe(expected);
  });

  it("that split a character are read in names of senders, which stay one address each", () => {
    const { from, to } = parse(
      'From: =?utf-8?B?Y2Fmww==?= =?utf-8?B?qQ==?= <a@b.example>\r\nTo: "=?utf-7?Q?Gr+APw-n?=" <c@d.example>, =?utf-8?Q?x=2C_y_=3Ce=40f.example=3E?= <g@h.example>',
    );
    expect(from).toEqual({ email: "a@b.example", name: "café" });
    expect(to).toEqual([
      { email: "c@d.example", name: "Grün" },
      { email: "g@h.example", name: "x, y <e@f.example>" },
    ]);
  });

  it("are read in names of files", () => {
    const [part] = parse('Content-Type: application/pdf; name="=?utf-8?B?Y2Fmww==?= =?utf-8?B?qS5wZGY=?="').parts;
    expect(part?.filename).toBe("café.pdf");
  });
});

describe("a header", () => {
  it("with raw bytes of windows-1252 or UTF-8 is read field by field", () => {
    const header = "Subject: Gr\xfc\xdfe\r\nX-A: Gr\xc3\xbc\xc3\x9fe\r\n\tfolded\r\nX-B: caf\xe9\r\n\r\n";
    expect(parseMessage(latin1(header)).subject).toBe("Grüße");
    expect(readHeader(latin1(header))).toEqual({
      fields: [
        { name: "Subject", value: "Grüße" },
        { name: "X-A", value: "Grüße folded" },
        { name: "X-B", value: "café" },
      ],
      isCut: false,
    });
  });

  it.each([
    ["koi8-r", "\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"],
    ["windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"],
    ["shift_jis", "\x93\xfa\x96\x7b", "日本"],
    ["iso-2022-jp", "\x1b$BF|K\\\x1b(B", "日本"],
    ["ibm850", "Gr\x81\xe1e", "Grüße"],
  ])("with raw text in the charset of the message, %s, is read in it, and UTF-8 as such", (charset, raw, expected) => {
    const type = `Content-Type: text/plain;\r\n\tcharset="${charset}"`;
    const header = `From: ${raw} <a@b.example>\r\nSubject: ${raw}\r\nX-A: caf\xc3\xa9\r\n${type}`;
    expect(parse(header)).toMatchObject({ subject: expected, from: { email: "a@b.example", name: expected } });
    const { fields } = readHeader(latin1(`${header}\r\n\r\n`));
    expect(fields.slice(1, 3)).toEqual([
      { name: "Subject", value: expected },
      { name: "X-A", value: "café" },
    ]);
  });

  it("of more than 500 fields says that it is cut", () => {
    const fields = (count: number) => latin1("X-A: 1\r\n".repeat(count));
    expect(readHeader(fields(500))).toMatchObject({ isCut: false });
    const { fields: listed, isCut } = readHeader(fields(501));
    expect([listed.length, isCut]).toEqual([500, true]);
  });

  it("with a sender without an address keeps the name", () => {
    expect(parse("From: Board of Directors").from).toEqual({ email: "", name: "Board of Directors" });
    expect(parse('From: "The Board"').from).toEqual({ email: "", name: "The Board" });
    expect(parse("From: The Board, a@b.example").from).toEqual({ email: "a@b.example", name: null });
    expect(parse("From: \r\nTo: Nobody").from).toBeNull();
    expect(parse("From: \r\nTo: Nobody").to).toEqual([]);
  });

  it("marks controls of text direction in the name of a file", () => {
    const name = "filename*=utf-8''photo%E2%80%AEgpj.exe%E2%81%A9%D8%9C";
    const [part] = parse(`Content-Type: a/b\r\nContent-Disposition: attachment; ${name}`).parts;
    expect(part?.filename).toBe("photo[U+202E]gpj.exe[U+2069][U+061C]");
  });
});
