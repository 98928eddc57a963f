import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumUnavailable, findFaults } from "./support/browser.ts";
import { pressOn, type Site, startSite } from "./support/pages.ts";

/** The editor of templates in Chromium. */

let site: Site;

describe.skipIf(chromiumUnavailable() !== null)("forms of the dashboard in Chromium", () => {
  beforeAll(async () => {
    site = await startSite();
  }, 120_000);

  afterAll(async () => {
    await site?.stop();
  });

  async function open(options: Parameters<Site["open"]>[0] = {}) {
    const opened = await site.open(options);
    await opened.context.addCookies(await site.signIn());
    return opened;
  }

  const mainText = async (page: Page) => (await page.locator("main").textContent()) ?? "";
  const legends = (page: Page) => page.locator("fieldset legend").allTextContents();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  it("edit a template by blocks and as HTML, without an accessibility fault, console error or sideways scroll", async () => {
    const { page, context, problems } = await open();
    const check = async (what: string) => {
      expect(await findFaults(page), what).toEqual([]);
      expect(problems, what).toEqual([]);
    };
    await page.goto("/app/templates/new?editor=blocks");
    await check("no block");
    for (const type of ["heading", "text", "button", "image", "divider"]) await button(page, `Add ${type}`).click();
    expect(await legends(page)).toEqual([
      "1. heading",
      "2. text",
      "3. button",
      "4. image",
      "5. divider",
      "Add a block",
    ]);
    await check("a block of each kind");
    await page.locator("[name=name]").fill("A name ".repeat(20));
    await page.locator("[name='b.2.url']").fill("javascript:alert(1)");
    await page.evaluate("for (const form of document.forms) form.noValidate = true");
    await button(page, "Save").click();
    await page.getByRole("alert").waitFor();
    await check("wrong fields");
    for (const [index, text] of ["Welcome, {{name}}", "A text", "Open", "A boat"].entries())
      await page.locator(`[name='b.${index}.text']`).fill(text);
    for (const index of [2, 3]) await page.locator(`[name='b.${index}.url']`).fill("https://example.org/boat.png");
    await button(page, "Save").click();
    await page.getByText("The template is saved.").waitFor();
    await check("a stored template");
    await button(page, "Remove: block 4, image").click();
    await button(page, "Save").click();
    await page.getByText("The template is saved.").waitFor();
    await page.getByRole("link", { name: "Edit as HTML" }).click();
    await page.waitForURL(/\/to-html$/);
    await check("the question");
    await button(page, "Delete the blocks").click();
    expect(await page.locator("[name=html_body]").inputValue()).toContain("Welcome, {{name}}</h1>");
    await check("HTML");
    await context.close();
  });

  it.each([
    ["/app/templates/new", "html_body", "<p>Dear {{name}}</p>"],
    ["/app/templates/new?editor=blocks", "b.0.text", "Dear {{name}}"],
  ])("show a template while it is written, without a step back in the history (%s)", async (path, field, text) => {
    const { page, context, problems } = await open();
    await page.goto(path);
    if (field !== "html_body") await button(page, "Add heading").click();
    const steps = await page.evaluate("history.length");
    const shown = page.frameLocator("iframe[name=preview]");
    await page.locator(`[name='${field}']`).fill(text);
    await shown.getByText("Dear name", { exact: true }).waitFor();
    await page.locator(`[name='${field}']`).fill("Good day");
    await shown.getByText("Good day", { exact: true }).waitFor();
    expect([await page.evaluate("history.length"), page.frames().length]).toEqual([steps, 2]);
    expect(await page.evaluate("document.activeElement.name")).toBe(field);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("add, move, remove, preview and save blocks without JavaScript and by keyboard", async () => {
    const { page, context } = await open({ javaScriptEnabled: false });
    await page.goto("/app/templates/new?editor=blocks");
    await page.focus("[name=name]");
    await page.keyboard.type("By keyboard");
    await pressOn(page, "Add heading");
    await page.keyboard.type("First {{name}}");
    await pressOn(page, "Add text");
    await page.keyboard.type("Second");
    await pressOn(page, "Add divider");
    expect(await legends(page)).toEqual(["1. heading", "2. text", "3. divider", "Add a block"]);
    await pressOn(page, "Down: block 1, heading");
    expect(await legends(page)).toEqual(["1. text", "2. heading", "3. divider", "Add a block"]);
    await page.keyboard.press("Enter");
    await expect.poll(() => legends(page)).toEqual(["1. text", "2. divider", "3. heading", "Add a block"]);
    await pressOn(page, "Remove: block 2, divider");
    expect(await legends(page)).toEqual(["1. text", "2. heading", "Add a block"]);
    await page.focus("[name=name]");
    await pressOn(page, "Update preview");
    await page.frameLocator("iframe[name=preview]").getByText("First name").waitFor();
    await page.focus("[name=name]");
    await page.keyboard.press("Enter");
    await expect.poll(() => mainText(page)).toContain("The template is saved.");
    expect(await page.locator("[name='b.1.text']").inputValue()).toBe("First {{name}}");
    await context.close();
  });
});
