import { describe, expect, it } from "vitest";
import { splitMessage } from "../../../../src/mail/reports/split-message.ts";
import { decodeLines } from "../../../../src/mail/reports/text.ts";
import { decodeHeader } from "../../../../src/mail/texts/decode-header.ts";

/** Decodes the lines of a message. Each character of the string is one byte. */
function read(message: string): string[] {
  const part = splitMessage(Uint8Array.from(message, (char) => char.charCodeAt(0))).parts[0];
  return part ? decodeLines(part) : [];
}

describe("decodeLines", () => {
  it.each<[string, string, string[]]>([
    ["no charset, UTF-8", "\ncaf\xc3\xa9", ["café"]],
    ["no charset, not UTF-8", "\ncaf\xe9", ["café"]],
    ["invalid UTF-8", "Content-Type: text/plain; charset=UTF-8\n\ncaf\xe9", ["caf\ufffd"]],
    ["an unknown charset", 'Content-Type: text/plain; charset="x-none"\n\ncaf\xc3\xa9', ["café"]],
    ["ISO-2022-JP", "Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B%a!<%k\x1b(B", ["メール"]],
    ["base64, cut off", "Content-Transfer-Encoding: BASE64\n\nSGV\nsbG8gdGhlcm", ["Hello ther"]],
    ["base64, to its padding", "Content-Transfer-Encoding: base64\n\nSGVs\r\nbG8=\nSGVs", ["Hello"]],
    [
      "quoted-printable, soft breaks",
      "Content-Transfer-Encoding: quoted-printable\n\na=\nb= \t\r\nc=\rd=3D=e9=\n",
      ["abcd=é"],
    ],
    ["quoted-printable, malformed", "Content-Transfer-Encoding: quoted-printable\n\n=zz =4", ["=zz =4"]],
    ["line ends of all kinds", "\na\r\nb\rc\n\nd  ", ["a", "b", "c", "", "d"]],
    [
      "HTML",
      "Content-Type: text/html\n\n<p class='x'>a&nbsp;&lt;b&#64;y.test&gt;</p>c<br>d",
      ["", "a <b@y.test>", "c", "d"],
    ],
  ])("%s", (_, message, lines) => {
    expect(read(message)).toEqual(lines);
  });
});

/** The line break before a delimiter belongs to it (RFC 2046 5.1.1). */
describe("splitMessage", () => {
  const split = (body: string, type = "multipart/mixed; boundary=b") =>
    splitMessage(new TextEncoder().encode(`Content-Type: ${type}\n\n${body}`)).parts.map((part) => [
      part.type,
      new TextDecoder().decode(part.body),
    ]);

  it.each<[string, string, [string, string][]]>([
    ["preamble and epilogue are no parts", "x\n--b\n\n1\n--b--\ny\n--b\n\n2", [["text/plain", "1"]]],
    [
      "the end may be missing",
      "--b\n\n1\n--b\n\n2",
      [
        ["text/plain", "1"],
        ["text/plain", "2"],
      ],
    ],
    [
      "white space may follow a delimiter, nothing else",
      "--b \t\n\n1\n--bb\n--b-\n",
      [["text/plain", "1\n--bb\n--b-\n"]],
    ],
    ["a part without fields", "--b\n\n\n1\n--b--", [["text/plain", "\n1"]]],
    [
      "an enclosed message is one part",
      "--b\nContent-Type: message/rfc822\n\nA: b\n\n1\n--b--",
      [["message/rfc822", "A: b\n\n1"]],
    ],
    [
      "an inner multipart ends with the outer",
      "--b\nContent-Type: multipart/x; boundary=c\n\n--c\n\n1\n--b\n\n2\n--b--",
      [
        ["text/plain", "1"],
        ["text/plain", "2"],
      ],
    ],
  ])("%s", (_, body, parts) => {
    expect(split(body)).toEqual(parts);
  });

  it("treats a multipart without a boundary as one part, and the parts of a digest as messages", () => {
    expect(split("x", "multipart/mixed")).toEqual([["multipart/mixed", "x"]]);
    expect(split("--d\n\nA: b\n\n--d--", 'Multipart/Digest; charset=x; Boundary="d"')).toEqual([
      ["message/rfc822", "A: b\n"],
    ]);
  });
});

it("a raw header in UTF-8 is read as such, also one with the character of what another program could not decode", () => {
  const utf8 = (text: string) => Buffer.from(text).toString("latin1");
  for (const text of ["Größe", "Größe \ufffd"]) expect(decodeHeader(utf8(text))).toBe(text);
  expect(decodeHeader("Gr\xf6\xdfe")).toBe("Größe");
});
