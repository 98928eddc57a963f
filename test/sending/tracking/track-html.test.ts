import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readClickToken, readOpenToken } from "../../../src/platform/mail-tokens/tracking.ts";
import { decodeValue, parseAttributes } from "../../../src/sending/tracking/attributes.ts";
import { trackHtml } from "../../../src/sending/tracking/track-html.ts";
import { byExtent } from "../../support/extent.ts";
import { testContext } from "../../support/workspace.ts";

const logged: string[] = [];
const ctx = { ...testContext(), log: (_: string, fields = {}) => void logged.push(JSON.stringify(fields)) };
const { masterKeys, publicUrl } = ctx.settings;
const MAIL = { workspace: 7, emailId: "01989a3e-5c1f-7000-8000-000000000001", recipient: "all" as const };
const BOTH = { opens: true, clicks: true };
const CLICKS = { opens: false, clicks: true };
const OPENS = { opens: true, clicks: false };
const LINK = new RegExp(`${publicUrl}/t/c/([A-Za-z0-9_-]+)`, "g");
const PIXEL = new RegExp(
  `<img src="${publicUrl}/t/o/([A-Za-z0-9_-]+)" width="1" height="1" alt="" style="border:0">`,
  "g",
);

const track = async (html: string, tracking = BOTH) => (await trackHtml(ctx, html, MAIL, tracking)).html;

/** Returns the targets of the tracking links, in order. */
async function targets(html: string): Promise<(string | undefined)[]> {
  const links = await Promise.all(
    Array.from(html.matchAll(LINK), ([, token = ""]) => readClickToken(masterKeys, token)),
  );
  return links.map((link) => link?.url);
}

/** Returns the document with each tracking link replaced by the original's text at its position. */
function restoreLinks(tracked: string, urls: readonly (string | undefined)[], original: string): string {
  const [head = "", ...pieces] = tracked.replace(LINK, "\uF8FF").split("\uF8FF");
  return pieces.reduce((back, piece, n) => {
    for (let end = back.length; end <= original.length; end++) {
      const raw = original.slice(back.length, end);
      if (original.startsWith(piece, end) && decodeValue(raw) === urls[n]) return back + raw + piece;
    }
    return `${back}?${piece}`;
  }, head);
}

describe("tracked HTML", () => {
  it("has tracking links and no other change to the link tags", async () => {
    const html = `<p><A  CLASS=x HREF = 'https://a.example/?a=1&amp;b=2'  title="&eacute;">é</a ><area\nhref=http://b.example/x/>`;
    const out = await track(html, CLICKS);
    expect(await targets(out)).toEqual(["https://a.example/?a=1&b=2", "http://b.example/x/"]);
    const back = ["https://a.example/?a=1&amp;b=2", "http://b.example/x/"];
    expect(out.replace(LINK, () => back.shift() ?? "")).toBe(html);
  });

  it("has the pixel at the end of the last body, or of the document when no body ends", async () => {
    const where = async (html: string) => (await track(html, OPENS)).replace(PIXEL, "[pixel]");
    expect(await where("<html><body>x<p>y</body></html>")).toBe("<html><body>x<p>y[pixel]</body></html>");
    expect(await where("<body>a</body><body>b</BODY >\n")).toBe("<body>a</body><body>b[pixel]</BODY >\n");
    expect(await where("<!-- </body> --><body><p>x")).toBe("<!-- </body> --><body><p>x[pixel]");
    expect(await where("just text")).toBe("just text[pixel]");
    const [, token = ""] = PIXEL.exec(await track("x", OPENS)) ?? [];
    PIXEL.lastIndex = 0;
    expect(await readOpenToken(masterKeys, token)).toEqual(MAIL);
  });

  it("does not change anything but http and https links", async () => {
    const left = [
      '<a href="mailto:a@b.example">',
      '<a href="tel:+431">',
      '<a href="#x">',
      '<a href="cid:x">',
      '<a href="/x">',
      "<a name=x>",
      '<a href="javascript:alert(1)">',
      '<a href="https://a.example/{{x}}">',
      `<a href="${publicUrl}/u/x">`,
      '<a href="">',
      "<a href>",
      '<link href="https://a.example/x.css">',
      '<img src="https://a.example/x.png">',
      '<form action="https://a.example/">',
      '<!-- <a href="https://a.example"> -->',
      '<!--[if mso]><a href="https://a.example"><![endif]-->',
      "<style><a href=https://a.example></style>",
      "<textarea><a href=https://a.example></textarea>",
      `<a href="https://a.example/${"x".repeat(8000)}">`,
      '<a href="https://a.example/unfinished',
    ];
    for (const html of left) expect(await track(html, CLICKS), html).toBe(html);
    expect(await track("<select><xmp><a href=http://x/></xmp></select>")).toBe(
      "<select><xmp><a href=http://x/></xmp></select>",
    );
  });

  it("leads to the target that browsers open, whatever character references it has", async () => {
    const out = await track('<a href="https://a.example/?a=1&hearts;&copy"><a href="https://a/&nope;">', CLICKS);
    expect(await targets(out)).toEqual(["https://a.example/?a=1♥©", "https://a/&nope;"]);
  });

  it("does not track a link with data-track=off, and removes that attribute", async () => {
    for (const [html, expected] of [
      ['<a data-track="off" href="https://a.example">x</a>', '<a href="https://a.example">x</a>'],
      ['<a href="https://a.example"  DATA-TRACK=off>', '<a href="https://a.example">'],
      [`<a data-track='OFF'href="https://a.example">`, '<a href="https://a.example">'],
      ['<a data-track="off">', '<a data-track="off">'],
    ])
      expect(await track(html ?? "", CLICKS)).toBe(expected);
    expect(await targets(await track('<a data-track="on" href="https://a.example">', CLICKS))).toEqual([
      "https://a.example",
    ]);
  });

  it("is unchanged when nothing is tracked, and identical each time it is made", async () => {
    const html = `\uFEFF<a href="https://a.example">\0\r\n\uE000\uE001é</a>`;
    expect(await track(html, { opens: false, clicks: false })).toBe(html);
    expect(await track(html)).toBe(await track(html));
    expect((await track(html)).replace(LINK, "https://a.example").replace(PIXEL, "")).toBe(html);
  });

  it("uses the first of two attributes with one name, as browsers do", async () => {
    const out = await track('<a href="https://a.example" href="https://b.example">', CLICKS);
    expect(out).toMatch(/ href="https:\/\/b\.example">$/);
    expect(await targets(out)).toEqual(["https://a.example"]);
  });

  it("is the original and the pixel once the links are restored, for generated documents", async () => {
    const space = fc.constantFrom(" ", "\n", "\t ", "  ");
    const gap = fc.constantFrom("", "", " ", "\n");
    const word = fc
      .string({ unit: "grapheme", maxLength: 8 })
      .map((text) => text.replace(/[<>&"'`=\s\uE000-\uF8FF{}%|*$]/g, "x"));
    const tail = fc.constantFrom(
      "",
      "/a?b=1&c=2#d",
      "/a?b=1&amp;c=%20&lt",
      "/é€😀?x=&#x41;&#66;",
      "/?copy=1&copyx=2&b",
      "/x\u00a0y",
      "/&nope;&hearts;",
    );
    const href = fc.oneof(
      tail.map((rest) => ({ raw: `https://a.example${rest}`, on: true })),
      fc
        .constantFrom("mailto:x@y.example", "#a", "", "{{x}}", "https://a.example/{{x}}")
        .map((raw) => ({ raw, on: false })),
    );
    const quote = fc.constantFrom('"', "'", "");
    const attribute = fc
      .tuple(space, fc.constantFrom("class", "TITLE", "data-x", "style"), gap, quote, word)
      .map(([before, name, around, q, value]) =>
        q ? `${before}${name}${around}=${around}${q}${value}${q}` : `${before}${name}`,
      );
    const link = fc
      .tuple(
        fc.constantFrom("a", "A", "area"),
        fc.array(attribute, { maxLength: 2 }),
        space,
        fc.constantFrom("href", "HREF"),
        gap,
        quote,
        href,
        fc.array(attribute, { maxLength: 2 }),
        word,
      )
      .map(([tag, before, gapBefore, name, around, q, { raw, on }, after, text]) => ({
        html: `<${tag}${before.join("")}${gapBefore}${name}${around}=${around}${q || (raw ? "" : '""')}${raw}${q}${after.join("")} >${text}</${tag}>`,
        raws: on ? [raw] : [],
      }));
    const other = fc
      .oneof(
        word,
        fc.constantFrom(
          "<p>",
          "</p>",
          "<br/>",
          "<b",
          ">",
          "&amp;",
          "\r\n",
          "<table><tr><td>",
          "</table>",
          "<svg></svg>",
        ),
        fc.constantFrom(
          "<!-- <a href='https://c.example'> -->",
          "<style>a>b{}</style>",
          "<title><a href=https://c.example></title>",
          "<![CDATA[x]]>",
        ),
      )
      .map((html) => ({ html: html === "<b" ? "<b >" : html, raws: [] as string[] }));
    const document = fc.tuple(
      fc.constantFrom(["", ""], ["<html><body class=x>", "</body></html>"], ["<body>", ""]),
      fc.array(fc.oneof(link, other), { maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(
        document,
        fc.constantFrom(BOTH, CLICKS, OPENS),
        async ([[head = "", foot = ""], pieces], tracking) => {
          const middle = pieces.map(({ html }) => html).join("");
          const raws = tracking.clicks ? pieces.flatMap((piece) => piece.raws) : [];
          const out = await track(head + middle + foot, tracking);
          expect(await targets(out)).toEqual(raws.map(decodeValue));
          const left = [...raws];
          const pixel = tracking.opens ? "[pixel]" : "";
          expect(out.replace(PIXEL, "[pixel]").replace(LINK, () => left.shift() ?? "")).toBe(
            foot ? head + middle + pixel + foot : head + middle + foot + pixel,
          );
        },
      ),
      { numRuns: byExtent({ quick: 60, full: 200, long: 3000 }) },
    );
  });
});

describe("an email with many links", () => {
  const links = (count: number, html = "x") =>
    Array.from({ length: count }, (_, n) => `<a href="https://a.example/${n}">${html}</a>`).join("\n");

  it("has its first 1,000 links tracked and reports how many are not", async () => {
    const whole = await trackHtml(ctx, links(1_000), MAIL, BOTH);
    expect([(await targets(whole.html)).length, whole.untrackedLinks]).toEqual([1_000, 0]);
    const { html, untrackedLinks } = await trackHtml(ctx, links(1_500), MAIL, BOTH);
    const found = await targets(html);
    expect([found.length, found[0], found.at(-1), untrackedLinks]).toEqual([
      1_000,
      "https://a.example/0",
      "https://a.example/999",
      500,
    ]);
    expect(html).toContain('<a href="https://a.example/1000">');
    expect(html.match(PIXEL)).toHaveLength(1);
  });

  it("counts links only: those that are not trackable or not to be tracked take no place", async () => {
    const others = '<a href="mailto:x@a.example"><a href="#a"><a href="https://a.example" data-track="off">'.repeat(
      300,
    );
    const { html, untrackedLinks } = await trackHtml(ctx, others + links(1_001), MAIL, CLICKS);
    expect([(await targets(html)).length, untrackedLinks]).toEqual([1_000, 1]);
    expect(html).not.toContain("data-track");
  });

  it("has at most 3,000 tags visited: the links behind them are untracked and counted, the pixel is at the end", async () => {
    const before = "<a name=x></a><body></body>".repeat(1_500);
    const { html, untrackedLinks } = await trackHtml(ctx, `${before}${links(7)}</body>`, MAIL, BOTH);
    expect(untrackedLinks).toBe(7);
    expect(await targets(html)).toEqual([]);
    expect(html.replace(PIXEL, "")).toBe(`${before}${links(7)}</body>`);
  });

  it("reports no untracked links when clicks are not tracked", async () => {
    expect((await trackHtml(ctx, links(1_001), MAIL, OPENS)).untrackedLinks).toBe(0);
  });

  it("is the same document when its links have thousands of attributes and character references", async () => {
    const attributes = " b=1".repeat(10_000);
    const references = "&amp;".repeat(3_000);
    const html = `<a${attributes} href="https://a.example/">x</a><a href="https://a.example/?${references}">y</a>`;
    const out = await track(html, CLICKS);
    expect(await targets(out)).toEqual(["https://a.example/", `https://a.example/?${"&".repeat(3_000)}`]);
    expect(out.replace(LINK, "https://a.example/")).toBe(
      html.replace(`https://a.example/?${references}`, "https://a.example/"),
    );
  });

  it("is read in linear time when its targets are mostly white space", async () => {
    const html = `<a href="https://a.example/${" ".repeat(7_900)}x${" ".repeat(8_000)}">x</a>\n`.repeat(300);
    const { html: out } = await trackHtml(ctx, html, MAIL, CLICKS);
    expect(new Set(await targets(out))).toEqual(new Set([`https://a.example/${" ".repeat(7_900)}x`]));
  });

  it("keeps every private-use character, also when the document has nearly all of them", async () => {
    const all = String.fromCharCode(...Array.from({ length: 0x1900 }, (_, n) => 0xe000 + n));
    const some = all.replace("\ue123", "").replace("\ueabc", "");
    for (const [characters, count] of [
      [all, 0],
      [some, 1],
    ] as const) {
      const html = `<a href="https://a.example/">x</a>${characters}`;
      const out = await track(html, CLICKS);
      expect(await targets(out)).toHaveLength(count);
      expect(out.replace(LINK, "https://a.example/")).toBe(html);
    }
    logged.length = 0;
  });
});

it("any input passes: no tracking link without a link, and no other change", async () => {
  const scrap = fc.constantFrom(
    ...[
      "<",
      ">",
      "</",
      "/>",
      "a",
      "A ",
      " href",
      "=",
      '"',
      "'",
      "https://a.example/",
      "&amp;",
      "&",
      "<!--",
      "-->",
      "--!>",
      "<a href=",
      "<area ",
      "</a>",
    ],
    ...[
      "<body",
      "</body>",
      "<script>",
      "</script>",
      "<style>",
      "</style>",
      "<svg>",
      "<math>",
      "<title>",
      "<![CDATA[",
      "]]>",
      "<template>",
      "<select>",
    ],
    ...[
      "\0",
      "\r\n",
      "\t",
      "é",
      "😀",
      "\uFEFF",
      "\uE000",
      "\uE001",
      " data-track=off",
      "<p>",
      "<?x",
      "<!doctype html>",
      "</html>",
      "<plaintext>",
    ],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(scrap, { maxLength: 30 }), async (scraps) => {
      const html = scraps.join("");
      const out = await track(html);
      const urls = await targets(out);
      expect(urls).not.toContain(undefined);
      if (!html.includes("data-track")) expect(restoreLinks(out.replace(PIXEL, ""), urls, html)).toBe(html);
      expect(await track(html)).toBe(out);
    }),
    { numRuns: byExtent({ quick: 150, full: 500, long: 20_000 }) },
  );
  // The only input that HTMLRewriter cannot parse.
  expect(logged.filter((fields) => !fields.includes("it is ambiguous whether this tag"))).toEqual([]);
});

describe("an attribute's value", () => {
  it("is decoded as browsers do", () => {
    for (const [raw, value] of [
      ["a&amp;b", "a&b"],
      ["a&ampb", "a&ampb"],
      ["a&amp=b", "a&amp=b"],
      ["a&amp", "a&"],
      ["&AMP;&lt;&gt;&quot;&apos;", `&<>"'`],
      ["&apos", "&apos"],
      ["&#38;&#x26;&#X26;&#38", "&&&&"],
      ["a=1&b=2&c", "a=1&b=2&c"],
      ["&copy=1&copyx", "&copy=1&copyx"],
      [" \n x \t", "x"],
      ["&&;& ", "&&;&"],
      ["&copy", "©"],
      ["&copy;", "©"],
      ["&bogus;", "&bogus;"],
      ["&#0;", "\ufffd"],
      ["&#128;", "€"],
      ["&#xd800;", "\ufffd"],
      ["&#1114112;", "\ufffd"],
    ] as const)
      expect(decodeValue(raw), raw).toBe(value);
  });

  it("is found at its position in the tag", () => {
    const tag = `<a/x=1 =y='>' HREF\n=\n"h" z>`;
    const found = Array.from(parseAttributes(tag, 0), ({ name, valueFrom, valueTo }) => [
      name,
      tag.slice(valueFrom, valueTo),
    ]);
    expect(found).toEqual([
      ["x", "1"],
      ["=y", ">"],
      ["href", "h"],
      ["z", ""],
    ]);
  });
});
