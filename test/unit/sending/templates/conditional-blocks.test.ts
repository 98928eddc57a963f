/** Blocks that decide: conditions and parts are Liquid in the HTML and text that are made of the blocks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LiquidTextError, parseLiquid } from "../../../../src/lib/liquid/index.ts";
import type { Values } from "../../../../src/lib/placeholders.ts";
import {
  type Block,
  blockIssue,
  languageOf,
  readBlocks,
  renderBlocks,
  toBlocksJson,
} from "../../../../src/sending/templates/index.ts";

const NOW = Date.UTC(2026, 10, 24);
const block = (type: Block["type"], text: string, others: Partial<Block> = {}): Block => ({
  ...{ type, text, url: "" },
  ...others,
});

/** Returns the HTML without styles and the text that an email with these values has. */
function filled(blocks: Block[], values: Values = {}, parts: Record<string, string> = {}) {
  const { html, text } = renderBlocks(blocks, "liquid");
  return {
    html: parseLiquid(html ?? "", "html", parts)
      .render(values, NOW)
      .replace(/ style="[^"]*"/g, ""),
    text: parseLiquid(text ?? "", "text", parts).render(values, NOW),
  };
}

describe("a block with a condition", () => {
  const blocks = [
    block("heading", "Hello"),
    block("text", "You are pro, {{name}}", { showIf: "plan", equals: "pro" }),
    block("text", "Bye"),
  ];

  it.each<[values: Values, isShown: boolean]>([
    [{ plan: "pro", name: "A&B" }, true],
    [{ plan: "free" }, false],
    [{}, false],
  ])("with a text to equal: %j", (values, isShown) => {
    const { html, text } = filled(blocks, values);
    expect(html.includes("<p>You are pro, A&amp;B</p>")).toBe(isShown);
    expect(text).toBe(isShown ? "Hello\n\nYou are pro, A&B\n\nBye\n" : "Hello\n\nBye\n");
  });

  it.each<[values: Values, isShown: boolean]>([
    [{ order: { total: 0 } }, true],
    [{ order: { total: "x" } }, true],
    [{ order: { total: "" } }, false],
    [{ order: { total: false } }, false],
    [{ order: { total: null } }, false],
    [{ order: { total: [] } }, false],
    [{ order: 1 }, false],
    [{}, false],
  ])("without one is shown when the value exists: %j", (values, isShown) => {
    expect(filled([block("text", "Total", { showIf: "order.total" })], values).text.includes("Total")).toBe(isShown);
  });

  it.each(["5", "true", "-1.5"])("takes %s as a text and as a value", (equals) => {
    const one = [block("text", "Shown", { showIf: "x", equals })];
    for (const x of [equals, JSON.parse(equals)]) expect(filled(one, { x }).text).toBe("Shown\n");
    expect(filled(one, { x: "other" }).text).toBe("");
  });

  it("makes its template Liquid, and the values that the condition reads are listed", () => {
    expect(languageOf(blocks)).toBe("liquid");
    expect(languageOf([block("text", "a")])).toBe("placeholders");
    expect(languageOf([block("text", "a")], "liquid")).toBe("liquid");
    expect(parseLiquid(renderBlocks(blocks).html ?? "", "html").paths()).toEqual([["plan"], ["name"]]);
  });

  it.each<[others: Partial<Block>, field: string]>([
    [{ showIf: "a b" }, "showIf"],
    [{ showIf: "x %}{% assign y = 1 " }, "showIf"],
    [{ showIf: "true" }, "showIf"],
    [{ equals: "pro" }, "showIf"],
    [{ showIf: "x", equals: 'a"b' }, "equals"],
    [{ showIf: "x", equals: "a %}" }, "equals"],
    [{ showIf: "x", equals: "a\nb" }, "equals"],
  ])("is refused when the condition is no path and text: %j", (others, field) => {
    expect(blockIssue(block("text", "a", others), "liquid")?.field).toBe(field);
  });
});

describe("a part of another template", () => {
  it("is rendered where it stands, in HTML and text", () => {
    const blocks = [block("text", "A"), block("part", "the footer's"), block("part", 'a "b" %')];
    expect(languageOf(blocks)).toBe("liquid");
    const { html, text } = filled(blocks, { x: "<" }, { "the footer's": "[{{ x }}]", 'a "b" %': "B" });
    expect(html).toBe("<div>\n<p>A</p>\n[&lt;]\nB\n</div>\n");
    expect(text).toBe("A\n\n[<]\n\nB\n");
    for (const one of blocks) expect(blockIssue(one, "liquid")).toBeNull();
  });

  it.each([" ", "a\nb", "a %}", `a"b'c`, "x".repeat(201)])(
    "is refused with a name that no template has: %j",
    (name) => {
      expect(blockIssue(block("part", name), "liquid")?.field).toBe("text");
    },
  );
});

describe("columns and spacers", () => {
  it("become a table and a gap", () => {
    const rightUrl = "https://example.org/b.png";
    const { html, text } = filled([block("columns", "Left", { rightText: "A boat", rightUrl }), block("spacer", "24")]);
    expect(html.split("\n").slice(1, -2)).toEqual([
      '<table role="presentation"><tr>',
      '<td width="50%" valign="top">',
      "<p>Left</p>",
      "</td>",
      '<td width="50%" valign="top">',
      `<img src="${rightUrl}" alt="A boat">`,
      "</td>",
      "</tr></table>",
      "<div>&nbsp;</div>",
    ]);
    expect(text).toBe("Left\n\nA boat\n");
    expect(renderBlocks([block("spacer", "24")])).toMatchObject({
      html: expect.stringContaining("height:24px"),
      text: "\n",
    });
  });

  it.each<[Block, field: string]>([
    [block("columns", " "), "text"],
    [block("columns", "a", { rightText: "x".repeat(10_001) }), "rightText"],
    [block("columns", "a", { rightUrl: "javascript:alert(1)" }), "rightUrl"],
    [block("columns", "a", { url: "mailto:a@example.org" }), "url"],
    [block("spacer", "0"), "text"],
    [block("spacer", "201"), "text"],
    [block("spacer", "1;color:red"), "text"],
  ])("are refused with a wrong field: %j", (wrong, field) => {
    expect(blockIssue(wrong)?.field).toBe(field);
  });

  it("are read back with all their members, and other members are left out", () => {
    const columns = block("columns", "a", { rightText: "b", rightUrl: "https://a.example/", showIf: "x", equals: "1" });
    expect(readBlocks(JSON.parse(JSON.stringify(toBlocksJson([columns]))))).toEqual([columns]);
    expect(readBlocks({ version: 1, blocks: [{ ...columns, other: 1 }] })).toEqual([columns]);
    expect(readBlocks({ version: 1, blocks: [{ ...columns, showIf: 1 }] })).toBeNull();
  });
});

describe("texts of blocks in Liquid", () => {
  it("keep their braces, and may use filters", () => {
    const written = "{% if x %} {{{name}}} }} {{ x | default: 'a\"b' }} {";
    const { html, text } = filled([block("text", written)], { name: "N" });
    expect(text).toBe('{% if x %} {N} }} a"b {\n');
    expect(html).toContain("&#123;% if x %&#125; &#123;N&#125; &#125;&#125; a&quot;b &#123;");
  });

  it("are refused with a filter that does not exist, or a name that is none", () => {
    for (const text of ["{{ x | shout }}", "{{ first name = }}"])
      expect(blockIssue(block("text", text), "liquid"), text).toMatchObject({ field: "text" });
  });

  it("never end in a mistake or a tag that was not written, when no block is refused", () => {
    const text = fc.string({ unit: fc.constantFrom(..."<>&\"'{}%-ab |:\n") });
    const anyBlock = fc.record({
      ...{ type: fc.constantFrom<Block["type"]>("heading", "text", "columns", "part"), text, url: fc.constant("") },
      ...{ rightText: text, showIf: fc.constantFrom("a", "a.b"), equals: text },
    });
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 4 }), (blocks) => {
        fc.pre(blocks.every((one) => blockIssue(one, "liquid") === null));
        const parts = Object.fromEntries(blocks.map((one) => [one.text, ""]));
        try {
          const { html } = filled(blocks, { a: { b: "<i>" } }, parts);
          expect(html.replace(/<\/?(?:div|h1|p|br|table|tr|td)(?: (?:role|width|valign)="[^"]*")*>/g, "")).not.toMatch(
            /[<>"']/,
          );
        } catch (error) {
          if (error instanceof LiquidTextError) throw new Error(error.message);
          throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});
