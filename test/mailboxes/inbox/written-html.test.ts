import { describe, expect, it } from "vitest";
import { textToHtml } from "../../../src/lib/text-to-html.ts";
import { plainText } from "../../../src/mail/texts/text.ts";
import { sanitizeWritten } from "../../../src/mailboxes/inbox/index.ts";
import { type AllowedMarkup, attackSanitizer } from "./attack-sanitizer.ts";

const ALLOWED: AllowedMarkup = {
  elements:
    "a b blockquote br code div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strike strong sub sup table tbody td tfoot th thead tr u ul",
  attributes: "href type start colspan rowspan dir",
  values: { href: (url) => /^(?:https?|mailto):/.test(url) },
};

describe("HTML that a person has written", () => {
  attackSanitizer((html) => sanitizeWritten(html) ?? "longer than the limit", ALLOWED);

  it("keeps formatting, links, lists, quotes and tables, and no style, image or other link", () => {
    const kept =
      '<div dir="rtl"><b>a</b> <i>b</i> <u>c</u> <a href="https://example.com/">d</a> <a href="mailto:ada@example.org">e</a></div>' +
      '<ul><li>f</li></ul><ol start="3"><li>g</li></ol><blockquote type="cite">h</blockquote><table><tr><td colspan="2">i</td></tr></table>';
    expect(sanitizeWritten(kept)).toBe(kept);
    expect(sanitizeWritten('<p style="color:red" class="x" onclick="y()">a<img src="https://example.com/b.png">')).toBe(
      "<p>a</p>",
    );
    expect(sanitizeWritten('<a href="javascript:x()">a</a><a href="/b">b</a><a href="tel:1">c</a>')).toBe(
      "<a>a</a><a>b</a><a>c</a>",
    );
  });
});

describe("the plain text of HTML", () => {
  const cases: readonly [html: string, text: string][] = [
    ["<div>one<br></div><div><br></div><div>two</div>", "one\n\ntwo"],
    ["<p>one</p><p>two  \n three</p>", "one\n\ntwo three"],
    [
      "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol start=4><li>d</li><li>e</li></ol>",
      "- a\n- b\n  - c\n4. d\n5. e",
    ],
    [
      "<div>On Monday:</div><blockquote>a<blockquote>b</blockquote></blockquote><div>c</div>",
      "On Monday:\n> a\n>> b\nc",
    ],
    [
      '<a href="https://example.com/">example.com</a>, <a href="https://a.example/b">here</a>',
      "example.com, here <https://a.example/b>",
    ],
    [
      'See <b>here</b> <a href="https://a.example/b">first<br>second</a> and <a href="https://a.example/c"><div>x</div>y</a>',
      "See here first\nsecond <https://a.example/b> and\nx\ny <https://a.example/c>",
    ],
    ['<a href="mailto:ada@example.org">Ada</a>', "Ada <ada@example.org>"],
    ["<pre>a\n  b</pre>c", "a\n  b\nc"],
    ["<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"],
    ["a&nbsp;&nbsp;b &lt;c&gt;", "a  b <c>"],
  ];

  it.each(cases)("of %s", (html, text) => {
    expect(plainText(html)).toBe(text);
  });

  it("is the text that HTML was made of, quotes included", () => {
    for (const text of ["a\n\nb", 'a <b> & "c"\n> quoted\n> more\n>> deeper\nend', "  indented is not kept".trim()])
      expect(plainText(textToHtml(text))).toBe(text);
  });

  it("takes time in proportion to its length, and stays bounded however deep its quotes are", () => {
    const links = `<a href="https://example.com/x">y</a> `.repeat(50_000);
    expect(plainText(links)).toHaveLength(50_000 * "y <https://example.com/x> ".length - 1);
    const deep = `${"<blockquote>".repeat(190)}${"<br>".repeat(200_000)}`;
    expect(plainText(deep).length).toBeLessThanOrEqual(1_500_000);
  });
});
