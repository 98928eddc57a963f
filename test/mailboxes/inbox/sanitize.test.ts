import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterStyle } from "../../../src/mailboxes/inbox/filter-style.ts";
import { sanitize } from "../../../src/mailboxes/inbox/sanitize.ts";
import { HOSTILE_HTML } from "../../mail/hostile-inputs.ts";
import { type AllowedMarkup, attackSanitizer, findDangers } from "./attack-sanitizer.ts";
import { CANARY, payloads } from "./xss-payloads.ts";

const ALLOWED: AllowedMarkup = {
  elements:
    "a abbr address article b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q s samp section small span strike strong sub sup table tbody td tfoot th thead time tr tt u ul var wbr",
  attributes:
    "style dir lang title align valign bgcolor width height border cellpadding cellspacing colspan rowspan nowrap href rel target color face size src alt start type value datetime",
  values: {
    href: (url) => /^(?:https?|mailto|tel):/.test(url),
    src: (url) => /^(?:cid:|data:image\/(?:png|gif|jpe?g|webp);base64,)/.test(url),
    style: (text) => !/url|@|\\|expression|position|\/\*|image/.test(text),
  },
};

describe("sanitised HTML", () => {
  attackSanitizer((html) => sanitize(html, false), ALLOWED);

  it("loads from another host only with images=1, and then images only", () => {
    const html = `<img src="https://${CANARY}/a.png"><p style="background:url(https://${CANARY}/b)">a</p>`;
    expect(sanitize(html, false)).not.toContain(CANARY);
    expect(sanitize(html, true)).toBe(`<img src="https://${CANARY}/a.png"><p>a</p>`);
    expect(sanitize('<img src="javascript:alert(1)">', true)).toBe("<img>");
  });

  it("keeps the look of a message: tables, colours, links, inline images", () => {
    const html =
      '<table width="600" cellpadding="0"><tbody><tr><td align="center" style="color: #333; padding: 4px 8px; font-family: Arial, \'Open Sans\'"><a href="https://a.example/?a=1&amp;b=2">Open</a><img alt="Logo" width="40" src="cid:logo@x"></td></tr></tbody></table>';
    const links = html.replace('b=2">', 'b=2" rel="noopener noreferrer nofollow" target="_blank">');
    expect(sanitize(html, false)).toBe(links);
  });

  it("is not changed by being sanitised again, whatever the HTML", async () => {
    const pieces = Object.values(payloads).flat();
    const fragment = fc.oneof(
      fc.constantFrom(...pieces),
      fc.constantFrom(
        "<",
        ">",
        '"',
        "'",
        "<p>",
        "</p>",
        "<a href=",
        "<!--",
        "-->",
        "&lt;",
        "&",
        "</",
        "<table>",
        "<img src=",
      ),
      fc.string({ maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fragment, { maxLength: 12 }), fc.boolean(), async (parts, withImages) => {
        const clean = sanitize(parts.join(""), withImages);
        expect(sanitize(clean, withImages)).toBe(clean);
        if (!withImages) expect(await findDangers(clean, ALLOWED)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("of 2 MB of open tags is bounded", () => {
    for (const html of HOSTILE_HTML) expect(sanitize(html, false).length).toBeLessThanOrEqual(html.length);
  });
});

it("a style keeps plain declarations in one spelling", () => {
  expect(filterStyle(" COLOR : red; background-color:rgb(1, 2, 3);position:fixed;x;margin:0 !important")).toBe(
    "color: red; background-color: rgb(1, 2, 3); margin: 0 !important",
  );
});
