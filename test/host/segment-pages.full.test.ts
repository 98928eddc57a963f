import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { mainButtons, openSite, pressOn, titleOf } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** The pages of segments and the editor of automations in Chromium. */

const site = perSuite(() => openSite("segments.test"));

describe.skipIf(chromiumUnavailable() !== null)("pages with conditions in Chromium", () => {
  const create = async (path: string, body: object) => (await site.call("POST", path, body)).id;

  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  it("have no accessibility issue, console error, foreign request or sideways scroll, empty, filled and invalid", async () => {
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn());
    const check = async (title: string) => {
      await expect.poll(() => titleOf(page)).toBe(title);
      expect(await findIssues(page), title).toEqual([]);
      expect(problems, title).toEqual([]);
      expect((await mainButtons(page)).length, title).toBeLessThanOrEqual(1);
    };
    await page.goto("/app/segments");
    await check("Segments");
    await page.goto("/app/segments/new");
    await check("New segment");
    for (const kind of ["field", "list", "topic", "activity", "added_within_days", "segment"]) {
      await page.locator('[name="conditions.add"]').selectOption(kind);
      await press(page, "Add a condition");
    }
    await press(page, "Add a group");
    await check("New segment");
    await page.getByLabel("Name", { exact: true }).fill("Wrong");
    await page.getByLabel("Field").first().fill("plan");
    await page.getByLabel("Field").last().fill("plan");
    await page.getByLabel("Added within days").fill("7");
    await press(page, "Save segment");
    await page.getByText("Please correct:").waitFor();
    await check("New segment");

    const plan = { field: "plan", is: "equals", value: "gold" };
    const list = await create("/v1/contacts/", { name: "Customers" });
    await create(`/v1/contacts/${list}/contacts`, { email: "ada@example.org", metadata: { plan: "gold" } });
    const conditions = { all: [plan, { any: [{ list }, { not: { activity: "opened", within_days: 30 } }] }] };
    const segment = await create("/v1/segments/", { name: "Gold", conditions });
    for (const [path, title] of [
      ["", "Gold"],
      ["/edit", "Edit Gold"],
      ["/people", "People of Gold"],
      ["/delete", "Delete Gold?"],
    ] as const) {
      await page.goto(`/app/segments/${segment}${path}`);
      if (path === "") await press(page, "Count again");
      await check(title);
    }
    await page.goto("/app/segments");
    await check("Segments");

    const steps = [{ kind: "branch", when: conditions, then_steps: [{ kind: "webhook", webhook_id: list }] }];
    const trigger = { event: "signed_up", filter: plan };
    const automation = await create("/v1/automations/", { name: "Welcome", trigger, steps });
    await page.goto(`/app/automations/${automation}/steps/0`);
    await check("Welcome: Branch by a condition");
    await page.goto(`/app/automations/${automation}/settings`);
    await check("Settings of the automation");
    await page.goto(`/app/automations/${automation}`);
    await press(page, "Activate");
    await page.getByRole("link", { name: /Step 1, then 1 names a webhook/ }).click();
    await check("Welcome");
    expect(await page.locator(":target").getAttribute("id")).toBe("step-0.then_steps.0");
  });

  it("show the counters of steps as people come to them, without a reload", async () => {
    const trigger = { event: "came" };
    const id = await create("/v1/automations/", { name: "Live", trigger, steps: [{ kind: "notify", message: "M" }] });
    await create(`/v1/automations/${id}/activate`, {});
    const list = await create("/v1/contacts/", { name: "Live" });
    await create(`/v1/contacts/${list}/contacts`, { email: "live@example.org" });
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn());
    await page.goto(`/app/automations/${id}`);
    await page.getByText("0 passed").waitFor();
    await page.evaluate("window.isSamePage = true");
    await create("/v1/events", { name: "came", email: "live@example.org" });
    await page.getByText("1 passed").waitFor();
    expect(await page.evaluate("window.isSamePage")).toBe(true);
    expect(problems).toEqual([]);
  });

  it("make, change and delete a segment without JavaScript and by keyboard", async () => {
    const { page, context } = await site.open({ javaScriptEnabled: false });
    await context.addCookies(await site.signIn());
    await page.goto("/app/segments/new");
    await page.focus("[name=name]");
    await page.keyboard.type("By keyboard");
    await pressOn(page, "Add a condition");
    await page.focus('[name="conditions.0.field"]');
    await page.keyboard.type("plan");
    await page.focus('[name="conditions.0.value"]');
    await page.keyboard.type("gold");
    // Enter in a field saves, although buttons of rows come before the one that saves.
    await page.keyboard.press("Enter");
    await expect.poll(() => titleOf(page)).toBe("By keyboard");
    expect(await page.locator("main").textContent()).toContain("The field plan is “gold”.");
    await pressOn(page, "Edit");
    await pressOn(page, "Add a group");
    await pressOn(page, "Remove group 2");
    await pressOn(page, "Save segment");
    await expect.poll(() => titleOf(page)).toBe("By keyboard");
    await pressOn(page, "Delete");
    await pressOn(page, "Delete segment");
    expect(await page.locator("main").textContent()).toContain("The segment is deleted.");
  });
});
