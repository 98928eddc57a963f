import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { chromiumUnavailable, sharedBrowser } from "./support/browser.ts";
import { findFaults } from "./support/every-page/rules.ts";

/** Small pages that break one rule of the net each, and pages that look alike and break none. */

const BROKEN = [
  {
    rule: "a button under another element is covered",
    html: `<button>Send</button><div style="position:absolute;inset:0;height:60px"></div>`,
    faults: ["covered: Send <button> is covered by <div>"],
  },
  {
    rule: "a link at the end of the page under a floating button is covered",
    html: `<p style="height:900px">A long text</p><a href="/forward">Forward</a>
      <button style="position:fixed;left:0;bottom:0;width:200px;height:60px"><span hidden>Write</span></button>`,
    faults: ["covered: Forward <a> is covered by Write <button>", "overlapping: Write <button> overlaps Forward"],
  },
  {
    rule: "two texts at one place overlap",
    html: `<div style="position:absolute;top:20px">Domains</div><div style="position:absolute;top:24px">Webhooks</div>`,
    faults: ["overlapping: Domains overlaps Webhooks"],
  },
  {
    rule: "a text that runs into a button overlaps it",
    html: `<div style="width:40px;white-space:nowrap;float:left">A long title</div><button>Save</button>`,
    faults: ["overlapping: Save <button> overlaps A long title", "overlapping: A long title overlaps Save"],
  },
  {
    rule: "words in a column of a few characters are narrow",
    html: `<div style="width:50px">An order was paid for by a person</div>`,
    faults: ["narrow: An order was paid for by a person stands in a column of 50 px"],
  },
  {
    rule: "a page that is wider than its window scrolls sideways",
    html: `<div style="width:1400px">Words</div>`,
    faults: ["wide: the page is 1408 px wide, and its window 1280 px"],
  },
  {
    rule: "two fields with one id are told apart by no label",
    html: `<label for="text">Note</label><input id="text"><p>or</p><input id="text" aria-label="Text">`,
    faults: ["repeated ids: text is the id of several"],
  },
  {
    rule: "an ISO time is no word",
    html: `<p>Sent at 2026-11-30T07:37:37Z</p>`,
    faults: ["raw words: Sent at 2026-11-30T07:37:37Z is an ISO time in Sent at 2026-11-30T07:37:37Z <p>"],
  },
  {
    rule: "a path of the API is no word",
    html: `<p>Call /v1/emails/ to send</p>`,
    faults: ["raw words: Call /v1/emails/ to send is a path of the API in Call /v1/emails/ to send <p>"],
  },
  {
    rule: "null is no word",
    html: `<p>null</p>`,
    faults: ["raw words: null is a value of a program in null <p>"],
  },
  {
    rule: "JSON is no word, neither in a field",
    html: `<p>{"city": "Bath"}</p><textarea name="fields">{"city": "Bath"}</textarea>`,
    faults: [
      'raw words: {"city": "Bath"} is JSON in {"city": "Bath"} <p>',
      'raw words: {"city": "Bath"} is JSON in {"city": "Bath"} <textarea>',
    ],
  },
];

const SOUND = [
  { what: "a label beside its box", html: `<label><input type="checkbox"> All events</label>` },
  {
    what: "a text that an ellipsis cuts before a button",
    html: `<div style="display:flex"><div style="width:60px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis">A long title</div><button>Save</button></div>`,
  },
  {
    what: "a text in two lines",
    html: `<p style="width:200px;line-height:1">A text that has several lines of words in it</p>`,
  },
  {
    what: "a link that is cut in its middle",
    html: `<div style="width:60px;overflow:hidden;white-space:nowrap"><a href="/">A long title of an email</a></div>`,
  },
  { what: "code that is marked as code", html: `<code>/v1/emails/</code><pre>{"city": null}</pre>` },
  { what: "a number below another in a narrow column", html: `<div style="width:40px">12<br>14</div>` },
  {
    what: "what is hidden or for screen readers only",
    html: `<span style="position:absolute;width:1px;height:1px;overflow:hidden">null</span>`.replace(
      "null",
      "Sort by date",
    ),
  },
];

describe.skipIf(chromiumUnavailable() !== null)("the net over all pages", () => {
  let page: Page;

  beforeAll(async () => {
    page = await (await sharedBrowser()).newPage({ viewport: { width: 1280, height: 720 } });
    return () => page.close();
  });

  const faultsOf = async (html: string) => {
    await page.setContent(`<!doctype html><body>${html}</body>`);
    return findFaults(page);
  };

  it.each(BROKEN)("finds that $rule", async ({ html, faults }) => {
    expect(await faultsOf(html)).toEqual(faults);
  });

  it.each(SOUND)("has nothing against $what", async ({ html }) => {
    expect(await faultsOf(html)).toEqual([]);
  });

  it("passes over what is left out of a rule", async () => {
    await page.setContent(`<p class="example">null</p>`);
    expect(await findFaults(page, { "raw words": [".example"] })).toEqual([]);
  });
});
