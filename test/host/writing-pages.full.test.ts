import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { mainButtons, openSite, pressOn, type Site, titleOf, unfold } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** The pages that write a broadcast, a template and an email from a template, in Chromium, with and without scripts. */

const site = perSuite(() => openSite("newmail.test"));

describe.skipIf(chromiumUnavailable() !== null)("the pages that write something in Chromium", () => {
  async function open(path: string, options: Parameters<Site["open"]>[0] = {}) {
    const opened = await site.open(options);
    await opened.context.addCookies(await site.signIn());
    await opened.page.goto(path);
    return opened;
  }

  const call = <Out>(path: string, body: object) => site.call<Out>("POST", path, body);

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const legends = (page: Page) => page.locator("fieldset legend").allTextContents();
  const mainText = async (page: Page) => (await page.locator("main").textContent()) ?? "";
  const aTemplate = (name: string) =>
    call<{ id: string }>("/v1/templates/", { name, subject: `About ${name}`, html_body: "<h1>Hello {{name}}</h1>" });

  it("insert, move and remove blocks without loading the page again, and keep the focus, what is typed, and a voice", async () => {
    const { page, problems } = await open("/app/templates/new?editor=blocks");
    await page.evaluate("window.wasHere = true");
    const focused = () => page.evaluate<string>("document.activeElement.name + document.activeElement.value");
    const said = page.getByRole("status").filter({ hasText: /./ });
    await page.locator("[name=name]").fill("Without reload");
    await button(page, "Add heading").click();
    await expect.poll(focused).toBe("b.0.text");
    await page.keyboard.type("First");
    await button(page, "Add divider").click();
    await expect.poll(focused).toBe("actionremove:1");
    expect(await said.textContent()).toBe("A divider is block 2 of 2 now.");
    await page.locator("summary[aria-label='Insert before block 2']").click();
    await button(page, "Insert text before block 2").click();
    await expect.poll(focused).toBe("b.1.text");
    await page.keyboard.type("Second");
    expect(await legends(page)).toEqual(["1. Heading", "2. Text", "3. Divider", "Add a block"]);
    await button(page, "Up: block 2, text").click();
    await expect.poll(focused).toBe("actiondown:0");
    expect(await said.textContent()).toBe("The text is block 1 of 3 now.");
    expect(await page.locator("[name='b.0.text']").inputValue()).toBe("Second");
    await button(page, "Remove: block 3, divider").click();
    await expect.poll(() => legends(page)).toEqual(["1. Text", "2. Heading", "Add a block"]);
    const shown = page.frameLocator("iframe[name=preview]").locator("body");
    await expect.poll(() => shown.textContent({ timeout: 1_000 }).catch(String)).toMatch(/Second\s*First/);
    expect(await findIssues(page)).toEqual([]);
    expect(await mainButtons(page)).toHaveLength(1);
    expect(await page.evaluate("window.wasHere")).toBe(true);
    await button(page, "Save").click();
    await page.getByText("The template is saved.").waitFor();
    expect(await page.locator("[name='b.1.text']").inputValue()).toBe("First");
    expect(problems).toEqual([]);
  });

  it("ask before blocks that are changed and not saved are left, and say so when the session has ended", async () => {
    const { page, context } = await open("/app/templates/new?editor=blocks");
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await button(page, "Add divider").click();
    await expect.poll(() => legends(page)).toEqual(["1. Divider", "Add a block"]);
    await page.goto("/app/settings");
    expect(asked).toEqual(["beforeunload"]);
    await page.goto("/app/templates/new?editor=blocks");
    await context.clearCookies();
    await button(page, "Add heading").click();
    await expect.poll(() => titleOf(page)).toBe("Your session has ended");
  });

  it("show a template as a phone does, and stay in view beside a long form in wide windows", async () => {
    const { page } = await open("/app/templates/new", { viewport: { width: 1_280, height: 700 } });
    const frame = page.locator("iframe[name=preview]");
    const widthOf = async () => (await frame.boundingBox())?.width ?? 0;
    const wide = await widthOf();
    await page.getByRole("radio", { name: "Phone" }).check();
    expect(await widthOf()).toBe(390);
    expect(wide).toBeGreaterThan(390);
    await page.evaluate("document.querySelector('[name=html_body]').rows = 100; window.scrollTo(0, 900)");
    await expect.poll(async () => (await frame.boundingBox())?.y ?? -1).toBeGreaterThan(0);
    await page.setViewportSize({ width: 1_000, height: 700 });
    await expect.poll(async () => (await frame.boundingBox())?.y ?? 0).toBeGreaterThan(700);
  });

  it("choose a template in a list of pictures, for an email that is sent with its values", async () => {
    const { id } = await aTemplate("Receipt");
    const { page, problems } = await open("/app/emails/new");
    await page.locator("[name=to]").fill("delivered@simulator.test");
    await unfold(page, "Use a template");
    const thumb = page.frameLocator(`dialog iframe[src*="${id}"]`);
    await thumb.getByText("Hello name").waitFor();
    expect(await findIssues(page)).toEqual([]);
    await button(page, "Use Receipt").click();
    await page.locator("[name='v.name']").fill("Ada");
    await page.frameLocator("iframe[name=preview]").getByText("Hello Ada").waitFor();
    expect(await findIssues(page)).toEqual([]);
    expect(await mainButtons(page)).toHaveLength(1);
    await button(page, "Send").click();
    await expect.poll(() => titleOf(page)).toBe("About Receipt");
    expect(await mainText(page)).toContain("delivered@simulator.test");
    expect(problems).toEqual([]);
  });

  it("lead through the steps of a broadcast with a template, without an issue in any look", async () => {
    await aTemplate("News");
    const { page, problems } = await open("/app/broadcasts/new");
    const check = async (step: string) => {
      await expect.poll(() => page.locator(".stepbar [aria-current]").textContent()).toContain(step);
      expect(await findIssues(page), step).toEqual([]);
      expect(await mainButtons(page), step).toHaveLength(1);
      expect(problems, step).toEqual([]);
    };
    const list = await call<{ id: string }>("/v1/contacts/", { name: "Readers" });
    for (let n = 0; n < 10; n++)
      await call(`/v1/contacts/${list.id}/contacts`, { email: `delivered+${n}@simulator.test` });
    await page.reload();
    await check("Audience");
    await page.locator("main [name=name]").fill("December");
    await page.locator("[name=contact_list_id]").selectOption({ label: "Readers (10)" });
    await button(page, "Continue").click();
    await check("Content");
    await unfold(page, "Use a template");
    await button(page, "Use News").click();
    await page.frameLocator("iframe[name=preview]").getByText("Hello name").waitFor();
    expect(await page.locator("[name=subject]").inputValue()).toBe("About News");
    const sample = page.getByLabel("Sample in percent");
    await page.locator("summary", { hasText: "Compare subjects" }).click();
    expect(await sample.isVisible()).toBe(false);
    await page.getByLabel("Subject of A").fill("One");
    await page.getByLabel("Subject of B").fill("Two");
    await sample.fill("20");
    await check("Content");
    await button(page, "Continue").click();
    await check("Test");
    await page.getByRole("link", { name: "Continue" }).click();
    await page.getByText("2 get a variant now; 8 wait for your winner.").waitFor();
    await check("Review");
    await page.getByRole("radio", { name: "At a time" }).check();
    expect(await mainButtons(page)).toEqual(["Schedule"]);
    await page.getByRole("radio", { name: "Now" }).check();
    await button(page, "Send now").click();
    await page.getByText("The broadcast is being sent.").waitFor();
    expect(problems).toEqual([]);
  });

  it("go through the steps forwards and backwards without JavaScript and by keyboard", async () => {
    await aTemplate("Keyboard");
    const { page } = await open("/app/broadcasts/new", { javaScriptEnabled: false });
    await page.focus("main [name=name]");
    await page.keyboard.type("By keyboard");
    await pressOn(page, "Continue");
    await pressOn(page, "Use a template", "Space");
    await pressOn(page, "Use Keyboard");
    expect(await page.locator("[name=subject]").inputValue()).toBe("About Keyboard");
    await pressOn(page, "Back");
    expect(page.url()).toMatch(/\/audience$/);
    await pressOn(page, "Review");
    expect(await mainText(page)).toContain("Choose the list that gets it");
    await pressOn(page, "Go to Audience");
    await page.goto(page.url().replace(/\/audience$/, ""));
    expect(page.url()).toMatch(/\/audience$/);
    await pressOn(page, "Content (done)");
    expect(await page.locator("[name=html_body]").inputValue()).toBe("<h1>Hello {{name}}</h1>");
  });
});
