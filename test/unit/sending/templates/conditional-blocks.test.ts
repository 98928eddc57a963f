/** Blocks that decide: conditions and parts are Liquid in the HTML and text that are made of the blocks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LiquidTextError, parseLiquid } from "../../../../src/lib/liquid/text.ts";
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
    const written = "{ % if x % } {{{name}}} }} {{ x | default: 'a\"b' }} {";
    const { html, text } = filled([block("text", written)], { name: "N" });
    expect(text).toBe('{ % if x % } {N} }} a"b {\n');
    expect(html).toContain("&#123; % if x % &#125; &#123;N&#125; &#125;&#125; a&quot;b &#123;");
  });

  const OR = "{% if x < 2 %}<A>{% else %}B{% endif %}";
  const url = "https://example.org/{% if x < 2 %}a{% else %}b{% endif %}?q={{x}}";

  it.each<[Block, html: string, text: string]>([
    [block("heading", OR), "<h1>&lt;A&gt;</h1>", "<A>"],
    [block("text", OR), "<p>&lt;A&gt;</p>", "<A>"],
    [
      block("button", OR, { url }),
      '<a href="https://example.org/a?q=1">&lt;A&gt;</a>',
      "<A>\nhttps://example.org/a?q=1",
    ],
    [block("image", OR, { url }), '<img src="https://example.org/a?q=1" alt="&lt;A&gt;">', "<A>"],
    [block("columns", OR, { rightText: OR, rightUrl: url }), "<p>&lt;A&gt;</p>", "<A>\n\n<A>"],
    [block("text", "{% for i in (1..2) %}{{ i }}, {% endfor %}"), "<p>1, 2, </p>", "1, 2,"],
    [block("text", "{% raw %}{{<a>}} {% if %}{% endraw %}"), "<p>{{&lt;a&gt;}} {% if %}</p>", "{{<a>}} {% if %}"],
    [block("text", "{% liquid\nassign y = 3\n\necho y %}"), "<p>3</p>", "3"],
  ])("render tags in each kind of block: %j", (one, html, text) => {
    expect([blockIssue(one, "liquid"), languageOf([one])]).toEqual([null, "liquid"]);
    const shown = filled([one], { x: 1 });
    expect(shown.html).toContain(html);
    expect(shown.text.trim()).toBe(text);
  });

  it.each<[text: string, values: Values, html: string, shown: string]>([
    ["A\n\n{% if x %}\n\nB\n\n{% endif %}\n\nC", { x: 1 }, "<p>A</p>\n<p>B</p>\n<p>C</p>", "A\n\nB\n\nC\n"],
    ["A\n\n{% if x %}\n\nB\n\n{% endif %}\n\nC", {}, "<p>A</p>\n<p>C</p>", "A\n\nC\n"],
    ["A\n{% if x %}\nB\n{% else %}\nC\n{% endif %}\nD", { x: 1 }, "<p>A<br>\nB<br>\nD</p>", "A\nB\nD\n"],
    ["{% for i in x %}\n\n{{ i }}\n\n{% endfor %}\nD", { x: [1, 2] }, "<p>1</p>\n<p>2</p>\n<p>D</p>", "1\n\n2\n\nD\n"],
    ["{% echo x %}\nB", { x: 1 }, "<p>1<br>\nB</p>", "1\nB\n"],
  ])("leave no empty lines where tags have lines of their own: %j with %j", (text, values, html, shown) => {
    const rendered = filled([block("text", text)], values);
    expect(rendered).toEqual({ html: `<div>\n${html}\n</div>\n`, text: shown });
  });

  it.each<[Block, field: string, message: RegExp]>([
    [block("text", "Hello\nDear {% if x %} Ada"), "text", /^line 2, column 6: tag {% if x %} not closed$/],
    [block("heading", "{{{a}}} { {% endif %}"), "text", /^line 1, column 11: tag "endif" not found$/],
    [block("text", "{% endif %}{% if x %}", { showIf: "a" }), "text", /^line 1, column 1: /],
    [block("text", "a {% else %}"), "text", /^line 1, column 3: /],
    [block("text", "5 {% off"), "text", /^line 1, column 3: /],
    [block("text", "{% raw %} a"), "text", /^line 1, column 10: raw .* not closed$/],
    [block("text", "{% include 'a' %}"), "text", /^line 1, column 1: /],
    [block("text", "a {{ x | shout }}"), "text", /^line 1, column 3: undefined filter: shout$/],
    [block("button", "a", { url: "https://a.example/{% if x %}" }), "url", /^line 1, column 19: /],
    [block("columns", "{% if x %}", { rightText: "{% endif %}" }), "text", /^line 1, column 1: /],
    [block("columns", "a", { rightText: "\n {% shout %}" }), "rightText", /^line 2, column 2: /],
  ])("are refused with line and column for a tag that does not end in them or is none: %j", (one, field, message) => {
    expect(blockIssue(one, languageOf([one], "liquid"))).toEqual({ field, message: expect.stringMatching(message) });
  });

  it.each([
    "{% if x %}https://{% endif %}javascript:alert(1)",
    "{% raw %}javascript:{% endraw %}",
    "java{% if x %}script:",
  ])("have no tag that chooses the scheme of a link: %s", (unsafe) => {
    expect(blockIssue(block("button", "a", { url: unsafe }), "liquid")?.field).toBe("url");
    expect(filled([block("button", "a", { url: unsafe })]).html).not.toContain("href");
  });

  it("are refused with a filter that does not exist, or a name that is none", () => {
    for (const text of ["{{ x | shout }}", "{{ first name = }}"])
      expect(blockIssue(block("text", text), "liquid"), text).toMatchObject({ field: "text" });
  });

  it("never end in a mistake or a tag that was not written, when no block is refused", () => {
    const tags = ["{% if a %}", "{% else %}", "{% endif %}", "{% raw %}", "{% endraw %}"];
    const text = fc.string({ unit: fc.constantFrom(..."<>&\"'{}%-ab |:\n", ...tags) });
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
