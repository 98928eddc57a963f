import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite, pressEnter, pressOn, type Site, titleOf } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** The header, the menu, the palette, dialogs and steps of automations of the dashboard in Chromium, with and without scripts. */

const site = perSuite(() => openSite("frame.test"));

describe.skipIf(chromiumUnavailable() !== null)("the frame of the dashboard in Chromium", () => {
  async function open(path: string, javaScriptEnabled = true) {
    const opened = await site.open({ javaScriptEnabled });
    await opened.context.addCookies(await site.signIn());
    await opened.page.goto(path);
    return opened;
  }

  it("opens a list of pages by Ctrl+K, which narrows while one types, and finds emails too", async () => {
    const id = await site.sendEmail();
    const { page, problems } = await open("/app");
    await page.keyboard.press("Control+k");
    expect(await findIssues(page)).toEqual([]);
    await page.keyboard.type("read me");
    await page.locator("dialog").getByRole("link", { name: "Read me", exact: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await pressEnter(page);
    expect(page.url()).toContain(`/app/emails/${id}`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("webh");
    await pressEnter(page);
    expect(await titleOf(page)).toBe("Webhooks");
    expect(problems).toEqual([]);
  });

  it("puts the focus into the search by /, which opens the list in a narrow window, and types it in a field", async () => {
    const { page } = await open("/app/templates/new");
    await page.locator("main [name=name]").press("/");
    expect(await page.locator("main [name=name]").inputValue()).toBe("/");
    await page.goto("/app");
    await page.keyboard.press("/");
    expect(await page.locator("header [name=q]:focus").count()).toBe(1);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto("/app");
    await page.keyboard.press("/");
    expect(await page.locator("dialog.palette input:focus").count()).toBe(1);
  });

  it("finds everything without scripts, in narrow windows too, and has no issue in any look", async () => {
    const { page, context, problems } = await open("/app", false);
    await page.locator("header [name=q]").fill("frame.test");
    await page.locator("header [name=q]").focus();
    await pressEnter(page);
    expect(await titleOf(page)).toBe("Results for “frame.test”");
    expect(await page.locator("main .found").textContent()).toContain("Domains");
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole("link", { name: "Find" }).click();
    expect(await page.locator("main [name=q]").isVisible()).toBe(true);
    expect(problems).toEqual([]);
    await context.close();
    const withScripts = await open("/app/search?q=example");
    expect(await findIssues(withScripts.page)).toEqual([]);
    await withScripts.page.goto("/app/search?q=unknown");
    expect(await findIssues(withScripts.page)).toEqual([]);
    await withScripts.page.getByRole("button", { name: "Account" }).click();
    expect(await findIssues(withScripts.page)).toEqual([]);
    await withScripts.context.close();
  });

  it.each([true, false])(
    "opens a form by its button, and again when it is refused (scripts: %s)",
    async (hasScripts) => {
      const { page, problems } = await open("/app/team", hasScripts);
      const field = page.locator("main [name=email]");
      expect(await field.isVisible()).toBe(false);
      await pressOn(page, "Invite a person", "Space");
      expect(await page.locator("dialog[open]").count()).toBe(hasScripts ? 1 : 0);
      await field.fill("a@b");
      await field.focus();
      await pressEnter(page);
      await page.getByText("Enter an address such as ada@example.org").first().waitFor();
      expect([await field.isVisible(), await field.inputValue()]).toEqual([true, "a@b"]);
      if (hasScripts) {
        expect(await findIssues(page)).toEqual([]);
        await page.keyboard.press("Escape");
        expect(await field.isVisible()).toBe(false);
      }
      expect(problems).toEqual([]);
    },
  );

  it("shows once what was done, until its button is pressed", async () => {
    const { page } = await open("/app/settings?done=zone");
    await page.getByRole("status").getByText("The time zone is saved.").waitFor();
    expect(page.url()).not.toContain("done");
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole("status").getByRole("button", { name: "Close" }).click();
    expect(await page.getByText("The time zone is saved.").count()).toBe(0);
    await page.reload();
    expect(await page.getByText("The time zone is saved.").count()).toBe(0);
  });

  it.each([
    { width: 1280, height: 720 },
    { width: 1280, height: 400 },
    { width: 900, height: 300 },
  ])("does not cover the logo and the switcher by the menu, in %o", async (size) => {
    const { page } = await open("/app/automations");
    await page.setViewportSize(size);
    await page.reload();
    for (const place of [".home", ".switcher"]) {
      const isOnTop = await page.locator(`header ${place}`).evaluate((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const ys = [y + 2, y + height / 2, y + height - 2];
        return ys.map((top) => element.contains(element.ownerDocument.elementFromPoint(x + width / 2, top)));
      });
      expect(isOnTop, place).toEqual([true, true, true]);
    }
    // The last entry of a menu that is higher than the window is reached by scrolling.
    await page.locator("#menu a").last().click();
    expect(page.url()).toContain("/docs");
  });

  it.each([
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ])("shows each step of an automation in at least 240 px, in %o", async (size) => {
    const { id } = await site.call("POST", "/v1/automations/", {
      name: "Willkommensstrecke",
      trigger: { event: "contact.confirmed" },
      steps: stepsOf(site),
    });
    const { page, problems } = await open(`/app/automations/${id}`);
    await page.setViewportSize(size);
    await page.reload();
    const texts = page.locator("main li p:has(a[href*='/steps/'])");
    const widths = await texts.evaluateAll((all) => all.map((text) => text.getBoundingClientRect().width));
    expect(widths).toHaveLength(12);
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(240);
    expect(await findIssues(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** Twelve steps with long words, in branches of eight levels. */
function stepsOf({ workspace }: Site): object[] {
  const email = (subject: string) => ({ kind: "send_email", mailbox_id: workspace.mailboxId, subject, text: "Hallo" });
  const plan = { field: "Kundenbindungsprogrammstufe", is: "equals", value: "Premiummitgliedschaft Gold" };
  const deep = Array.from({ length: 5 }).reduce<object[]>(
    (inner) => [{ kind: "branch", when: plan, then_steps: inner }],
    [{ kind: "wait", for: { days: 14 } }],
  );
  const offer = email("Geschwindigkeitsbegrenzungsüberschreitungsversicherung: Ihr persönliches Angebot");
  const split = { kind: "split", percent: 30, then_steps: [email("Treueprämie"), ...deep], else_steps: [offer] };
  const paid = { kind: "wait_for_event", event: "bestellung.bezahlt", limit: { days: 3 } };
  return [
    email("Willkommen bei der Donaudampfschifffahrtsgesellschaft"),
    { kind: "wait", for: { hours: 36 } },
    { ...paid, then_steps: [split], else_steps: [] },
  ];
}
