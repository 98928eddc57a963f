import { describe, expect, it } from "vitest";
import { parseMessage } from "../../../../src/mail/messages/parse.ts";

const parse = (text: string) => parseMessage(new TextEncoder().encode(text));

describe("a multipart without parts", () => {
  it("is read as text, so that nothing of the message is hidden", () => {
    const { parts, text } = parse("Content-Type: multipart/mixed; boundary=b\r\n\r\nAll of the text.\r\n");
    expect(parts.map(({ partId, use }) => [partId, use])).toEqual([["1", "text"]]);
    expect(text).toContain("All of the text.");
  });

  it("within another one is a part of it", () => {
    const inner = "--b\r\nContent-Type: multipart/related; boundary=c\r\n\r\ninner\r\n--b\r\n\r\nlast\r\n--b--\r\n";
    const { parts, text } = parse(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${inner}`);
    expect(parts.map(({ partId, length }) => [partId, length])).toEqual([
      ["1", 5],
      ["2", 4],
    ]);
    expect(text).toBe("inner\nlast");
  });
});
