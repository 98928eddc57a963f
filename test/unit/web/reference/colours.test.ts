import { describe, expect, it } from "vitest";
import { toColours } from "../../../../src/web/reference/colours.ts";

/** Returns the parts of code that have a colour, each with its kind. */
const partsOf = (code: string) =>
  [...toColours(code).matchAll(/<i class="(\w+)">([^<]*)<\/i>/g)].map(([, kind, text]) => [kind, text]);

describe("code in colours", () => {
  it("is the same text, escaped", () => {
    for (const code of [`a <b> & "c" 'd' // e`, "it's", `-d '{"a": "<script>"}'`, '"a\\"b": 1', '"open']) {
      const text = toColours(code)
        .replace(/<\/?i\b[^>]*>/g, "")
        .replaceAll("&lt;", "<")
        .replaceAll("&amp;", "&");
      expect(text).toBe(code);
      expect(toColours(code)).not.toMatch(/<(?!\/?i\b)/);
    }
  });

  it("tells the parts of curl and of the JSON in it apart", () => {
    const code = `curl -X POST 'https://api.test/v1/emails/' \\\n  -H "A: $KEY" \\\n  -d '{\n  "to": "it'\\''s",\n  "size": 3\n}'`;
    expect(partsOf(code)).toEqual([
      ["word", "curl"],
      ["option", "-X"],
      ["string", "'https://api.test/v1/emails/'"],
      ["option", "-H"],
      ["string", '"A: $KEY"'],
      ["option", "-d"],
      ["key", '"to"'],
      ["string", expect.stringContaining("it")],
      ["key", '"size"'],
      ["number", "3"],
    ]);
  });

  it("tells the parts of TypeScript and Python apart", () => {
    expect(partsOf('const a = await send({ subject: "Hi" }); // done')).toEqual([
      ["word", "const"],
      ["word", "await"],
      ["key", "subject"],
      ["string", '"Hi"'],
      ["comment", "// done"],
    ]);
    // The pages of guides replace the URL of the service in their HTML.
    expect(partsOf("curl http://127.0.0.1:8787/v1/")).toContainEqual(["string", "http://127.0.0.1:8787/v1/"]);
    expect(partsOf("import os # system\nx = None")).toEqual([
      ["word", "import"],
      ["comment", "# system"],
      ["word", "None"],
    ]);
  });
});
