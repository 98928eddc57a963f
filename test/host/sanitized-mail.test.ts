/** Hostile HTML of received mail, sanitised and shown in Chromium in each way in which a client may show it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sanitize } from "../../src/mailboxes/inbox/sanitize.ts";
import { CANARY, payloads } from "../mailboxes/inbox/xss-payloads.ts";
import { chromiumUnavailable, launchBrowser } from "./support/browser.ts";
import { isFull } from "./support/extent.ts";

const ORIGIN = "http://webmail.test";

/** Scripts in payloads call alert. Every event that a user could cause is sent to every element. */
const WATCH = `
  window.ran = [];
  for (const name of ["alert", "confirm", "prompt"]) window[name] = () => { window.ran.push(name); };
  window.touchAll = (root) => {
    for (const element of root.querySelectorAll("*"))
      for (const type of ["click", "focus", "mouseover", "pointerenter", "toggle", "animationstart", "begin", "load", "error"])
        if (!(type === "click" && /^(?:https?|mailto|tel):/.test(element.href ?? "")))
          element.dispatchEvent(new Event(type, { bubbles: true, cancelable: true }));
  };`;

/** Ways in which a client puts HTML into a page. */
const ways: Record<string, (page: Page, html: string) => Promise<unknown>> = {
  "as a document": (page, html) => page.setContent(`<!doctype html><body>${html}`),
  "by innerHTML": (page, html) => page.evaluate(`document.body.innerHTML = ${JSON.stringify(html)}`),
  // Browsers that serialize and parse again have made harmless markup harmful.
  "twice by innerHTML": (page, html) =>
    page.evaluate(`document.body.innerHTML = ${JSON.stringify(html)}; document.body.innerHTML += ""`),
  "in a table and a list": (page, html) =>
    page.evaluate(`document.body.innerHTML = ${JSON.stringify(`<table><tr><td><ul><li>${html}</table>`)}`),
};

/** Sends the events, and waits for two frames, after which images have been requested and animations have begun. */
const TOUCH = `(async () => {
  touchAll(document);
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return ran.splice(0);
})()`;

describe.skipIf(chromiumUnavailable() !== null)("sanitised mail in Chromium", () => {
  let browser: Browser;
  let page: Page;
  let requests: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    const context = await browser.newContext();
    await context.route("**/*", (route) => {
      const url = route.request().url();
      if (url === `${ORIGIN}/`) return route.fulfill({ contentType: "text/html", body: "<!doctype html><body>" });
      requests.push(url);
      return route.abort();
    });
    page = await context.newPage();
    page.on("dialog", (dialog) => dialog.dismiss());
    await page.addInitScript(WATCH);
    await page.goto(`${ORIGIN}/`);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
  });

  /** Shows HTML and returns what ran and what was requested. */
  async function show(html: string, way: (page: Page, html: string) => Promise<unknown>) {
    requests = [];
    await way(page, html);
    const ran = (await page.evaluate(TOUCH)) as string[];
    const isAway = page.url() !== `${ORIGIN}/`;
    if (isAway) await page.goto(`${ORIGIN}/`);
    return [...ran, ...requests, ...(isAway ? ["left the page"] : [])];
  }

  /** Returns the ways in which a payload is shown: all, or in `npm test` one of them in turn. */
  const waysOf = (at: number) =>
    Object.entries(ways).filter((_, way) => isFull || way === at % Object.keys(ways).length);

  for (const [family, list] of Object.entries(payloads)) {
    it(`runs no script and sends no request for ${list.length} payloads: ${family}`, async () => {
      for (const [at, payload] of list.entries()) {
        const html = sanitize(`<div><p>before ${payload} after</p></div>`, false);
        for (const [name, way] of waysOf(at)) expect(await show(html, way), `${name}: ${payload}`).toEqual([]);
        const links = (await page.evaluate("[...document.links].map((link) => link.protocol)")) as string[];
        expect(
          links.filter((protocol) => !/^(?:https?|mailto|tel):$/.test(protocol)),
          payload,
        ).toEqual([]);
      }
    }, 120_000);
  }

  it("runs scripts and sends requests for the same payloads as they came, so this test would notice", async () => {
    const asDocument = ways["as a document"] as (typeof ways)[string];
    const harmful = async (family: keyof typeof payloads, count: number) => {
      const found = [];
      for (const payload of payloads[family]?.slice(0, count) ?? [])
        found.push((await show(payload, asDocument)).length > 0);
      return found.filter(Boolean).length;
    };
    expect(await harmful("handlers", 4)).toBeGreaterThan(2);
    expect(await harmful("svg", 3)).toBeGreaterThan(1);
    expect(await harmful("css", 4)).toBeGreaterThan(2);
    expect(await harmful("loads", 4)).toBeGreaterThan(2);
  }, 60_000);

  it("loads images of other hosts with images=1, and nothing else", async () => {
    const asDocument = ways["as a document"] as (typeof ways)[string];
    const shown: string[] = [];
    for (const payload of payloads.loads ?? []) shown.push(...(await show(sanitize(payload, true), asDocument)));
    expect(shown.length).toBeGreaterThan(0);
    expect([...new Set(shown)]).toEqual([`https://${CANARY}/x`]);
  }, 60_000);
});
