import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlaceholders, placeholderNames } from "../../../../src/lib/placeholders.ts";
import {
  BLOCK_TYPES,
  type Block,
  blockIssue,
  readBlocks,
  renderBlocks,
  toBlocksJson,
} from "../../../../src/sending/templates/index.ts";

const block = (type: Block["type"], text = "", url = ""): Block => ({ type, text, url });
const html = (...blocks: Block[]) => renderBlocks(blocks).html ?? "";

const anyBlock = fc.record({
  type: fc.constantFrom(...BLOCK_TYPES.filter((type) => type !== "part")),
  text: fc.string({ unit: fc.constantFrom(..."<>&\"'{}ab /:\n") }),
  rightText: fc.string({ unit: fc.constantFrom(..."<>&\"'{}ab /:\n") }),
  url: fc.oneof(fc.string({ unit: fc.constantFrom(..."<>&\"'{}ab/:") }), fc.constant("https://example.org/{{id}}?a&b")),
});

describe("blocks of a template", () => {
  it("become HTML and text in their order", () => {
    const { html, text } = renderBlocks([
      block("heading", "Welcome, {{name}}"),
      block("text", "One\ntwo\n\nthree"),
      block("button", "Open", "https://example.org/{{id}}"),
      block("image", "A boat", "https://example.org/boat.png"),
      block("divider"),
    ]);
    const tags = (html ?? "").replace(/ style="[^"]*"/g, "").split("\n");
    expect(tags).toEqual([
      "<div>",
      "<h1>Welcome, {{name}}</h1>",
      "<p>One<br>",
      "two</p>",
      "<p>three</p>",
      '<p><a href="https://example.org/{{id}}">Open</a></p>',
      '<img src="https://example.org/boat.png" alt="A boat">',
      "<hr>",
      "</div>",
      "",
    ]);
    expect(text).toBe(
      `Welcome, {{name}}\n\nOne\ntwo\n\nthree\n\nOpen\nhttps://example.org/{{id}}\n\nA boat\n\n${"-".repeat(40)}\n`,
    );
    expect(renderBlocks([])).toEqual({ html: null, text: null });
  });

  it("escape every text, and leave out a URL with another scheme", () => {
    expect(html(block("heading", `<script>"&'`))).toContain(">&lt;script&gt;&quot;&amp;&#39;</h1>");
    expect(html(block("image", `" onerror="x`, "https://a.example/"))).toContain('alt="&quot; onerror=&quot;x"');
    for (const url of [
      "javascript:alert(1)",
      " javascript:alert(1)",
      "{{url}}",
      "data:text/html,x",
      "//a.example",
      "",
    ]) {
      expect(html(block("button", "Go", url), block("image", "", url)), url).not.toMatch(/href=|src=/);
      expect([blockIssue(block("button", "Go", url))?.field, blockIssue(block("image", "", url))?.field]).toEqual([
        "url",
        "url",
      ]);
    }
    expect(blockIssue(block("image", "", "mailto:a@example.org"))?.field).toBe("url");
    expect(blockIssue(block("button", "Go", "mailto:a@example.org"))).toBeNull();
  });

  it("contain only tags and placeholders that they were written with", () => {
    const TAG = /<\/?(?:div|h1|p|br|a|img|hr|table|tr|td)(?: (?:style|href|src|alt|role|width|valign)="[^"<>]*")*>/g;
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 4 }), (blocks) => {
        const rendered = renderBlocks(blocks, "placeholders").html ?? "";
        expect(rendered.replace(TAG, "")).not.toMatch(/[<>"']/);
        const written = blocks.flatMap(({ text, url, rightText }) =>
          placeholderNames(...[text, url, rightText].map(parsePlaceholders)),
        );
        const names = placeholderNames(parsePlaceholders(rendered));
        if (blocks.every((one) => blockIssue(one) === null)) expect(written).toEqual(expect.arrayContaining(names));
      }),
      { numRuns: 500 },
    );
  });

  it("are refused without text, beyond the limits, and with a placeholder whose name HTML would change", () => {
    for (const wrong of [
      block("heading", " "),
      block("text", "x".repeat(10_001)),
      block("button", "Go", `https://a.example/${"x".repeat(2_000)}`),
      block("text", "{{it's}}"),
      block("button", "Go", "https://a.example/{{a&b}}"),
    ])
      expect(blockIssue(wrong), JSON.stringify(wrong).slice(0, 60)).not.toBeNull();
    expect(blockIssue(block("divider"))).toBeNull();
    expect(blockIssue(block("image", "", "https://a.example/x.png"))).toBeNull();
  });

  it("are read back from blocks_json, and data of another editor is not", () => {
    const blocks = [block("heading", "A"), block("divider")];
    expect(readBlocks(toBlocksJson(blocks))).toEqual(blocks);
    const others = [null, {}, { version: 2, blocks }, { version: 1, blocks: [{ type: "video", text: "", url: "" }] }];
    for (const json of [...others, { version: 1, blocks: [null] }, { version: 1, blocks: Array(101).fill(blocks[0]) }])
      expect(readBlocks(json)).toBeNull();
  });
});
