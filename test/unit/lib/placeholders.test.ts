import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Encoding,
  parsePlaceholders,
  placeholderNames,
  renderPlaceholders,
  type Values,
} from "../../../src/lib/placeholders.ts";

const render = (text: string, values: Values = {}, encoding: Encoding = "text", maxLength = 1_000_000) =>
  renderPlaceholders(parsePlaceholders(text), values, encoding, maxLength);

describe("placeholders", () => {
  it.each([
    ["{{name}}", "Ada"],
    ["{{ name }}", "Ada"],
    ["Dear {{name}}, {{name}}!", "Dear Ada, Ada!"],
    ["{{{name}}}", "{Ada}"],
    ["{{unknown}}.", "."],
    ["{{first name}}", "A B"],
    ["{{}} {{ }} {name} {{na{me}} {{na}me}} {{name}", "{{}} {{ }} {name} {{na{me}} {{na}me}} {{name}"],
    ["{{na\nme}} {{\tname}}", "{{na\nme}} {{\tname}}"],
    ["{{größe 😀}}", "7"],
    ["{{toString}}{{constructor}}{{__proto__}}", ""],
    ["", ""],
  ])("%j renders as %j", (text, expected) => {
    expect(render(text, { name: "Ada", "first name": "A B", "größe 😀": 7 })).toBe(expected);
  });

  it("accepts names of 1 to 128 characters, outside the BMP too", () => {
    for (const name of ["n".repeat(128), "😀".repeat(128)]) expect(render(`{{${name}}}`, { [name]: "v" })).toBe("v");
    for (const name of ["n".repeat(129), "😀".repeat(129)])
      expect(render(`{{${name}}}`, { [name]: "v" })).toBe(`{{${name}}}`);
  });

  it("never expands a value again", () => {
    expect(render("{{a}}{{b}}", { a: "{{b}}", b: "{{a}}" })).toBe("{{b}}{{a}}");
    expect(render("{{a}}b}}", { a: "{{", b: "x" })).toBe("{{b}}");
  });

  it("escapes a value in HTML and not the text around it", () => {
    expect(render("<b title='{{v}}'>{{v}}</b>", { v: `<'"&>` }, "html")).toBe(
      "<b title='&lt;&#39;&quot;&amp;&gt;'>&lt;&#39;&quot;&amp;&gt;</b>",
    );
  });

  it("writes control characters of a value as spaces in a subject", () => {
    expect(render("S {{v}}", { v: "a\r\nBcc: b\rc\nd\u0000e" }, "header")).toBe("S a Bcc: b c d e");
  });

  it("writes numbers, booleans, lists and objects as text, and null as nothing", () => {
    const values = { n: 1.5, b: false, l: [1, "x"], o: { a: 1 }, z: null };
    expect(render("{{n}} {{b}} {{l}} {{o}} {{z}}", values)).toBe(`1.5 false [1,"x"] {"a":1} `);
  });

  it("names every placeholder once, in order of appearance", () => {
    const texts = [parsePlaceholders("{{b}} {{a}} {{ b }}"), null, parsePlaceholders("{{c}}{{a}}")];
    expect(placeholderNames(...texts)).toEqual(["b", "a", "c"]);
  });

  it("returns null instead of a result beyond the limit, without building it", () => {
    expect(render("{{a}}", { a: "12345" }, "text", 5)).toBe("12345");
    expect(render("{{a}}!", { a: "12345" }, "text", 5)).toBeNull();
    expect(render("{{a}}".repeat(100_000), { a: "x".repeat(60_000) }, "text", 5_000_000)).toBeNull();
  });

  it("keeps a text whose values are its own placeholders, whatever it contains", () => {
    const piece = fc.constantFrom("{", "}", "{{", "}}", " ", "a", "b", "\n", "é", "{{a}}", "{{ b }}", "x}}{{");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        const values = { a: "{{a}}", b: "{{ b }}" };
        const inner = [...text.matchAll(/\{\{([^{}\n]*)\}\}/g)].map(([, name = ""]) => name.trim());
        expect(placeholderNames(parsePlaceholders(text))).toEqual([...new Set(inner.filter((name) => name !== ""))]);
        expect(render(text, { a: "", b: "" })?.length).toBeLessThanOrEqual(text.length);
        if (inner.every((name) => name === "a" || name === ""))
          expect(render(text, values)?.replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });

  // A quadratic parser would take hours and run into the test's time limit.
  it.each(["{", "{{", "{{a", "}}{{", "{{a}}"])("renders two million characters of %j", (piece) => {
    const text = piece.repeat(Math.ceil(2_000_000 / piece.length));
    expect(render(text, { a: "{{a}}" }, "text", 3_000_000)).toBe(text);
  });
});
