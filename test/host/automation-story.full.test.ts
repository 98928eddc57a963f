import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { unfold } from "./support/pages.ts";
import { linkIn, startStorySite } from "./support/story-site.ts";
import { perSuite } from "./support/suite.ts";

/**
 * A person signs up by a form, confirms, and gets a welcome series whose second email depends on a click in the first. The series is made
 * on the pages, by the keyboard where a form is sent, and watched there and in mail that left.
 */

const [CLICKER, READER] = ["clicker@example.org", "reader@example.org"];
/** A headless browser counts as a machine. */
const PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const OFFER = "https://shop.example/offer";

const site = perSuite(() => startStorySite("automation.test"));

describe.skipIf(chromiumUnavailable() !== null)("a welcome series in Chromium", { timeout: 180_000 }, () => {
  const ids = { list: "", form: "", automation: "" };

  beforeAll(async () => {
    ids.list = (await call<{ id: string }>("/v1/contacts/", { name: "Newsletter", confirm: true })).id;
    const form = { name: "Footer", title: "News", text: "Once a month.", button: "Sign up" };
    const { url } = await call<{ url: string }>(`/v1/contacts/${ids.list}/forms`, form);
    ids.form = new URL(url).pathname;
  });

  const call = <Out>(path: string, body?: object) => site.call<Out>(body ? "POST" : "GET", path, body);

  const subjectsTo = (person: string) =>
    site.left.filter(({ to }) => to === person).map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? "");

  /** Creates an automation on its pages, as one person after the other does. */
  async function create(page: Page, name: string): Promise<void> {
    await page.goto("/app/automations");
    await unfold(page, "New automation");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Begins with the event").fill("contact.confirmed");
    await page.getByLabel("Begins with the event").press("Enter");
    await page.getByText("The automation is created.").waitFor();
  }

  /** Adds a step by the plus at the end of a list, whose place is counted from 1. */
  async function add(page: Page, place: string, kind: string, fields: Record<string, string>): Promise<void> {
    const plus = page.locator(`details:has(> summary[aria-label="Add a step: ${place}"])`);
    if ((await plus.getAttribute("open")) === null) await plus.locator("summary").press("Enter");
    await plus.getByRole("link", { name: kind, exact: true }).press("Enter");
    for (const [name, value] of Object.entries(fields)) {
      const field = page.locator(`form [name="${name}"]`);
      if ((await field.evaluate((element) => element.tagName)) === "SELECT") await field.selectOption(value);
      else await field.fill(value);
    }
    await page.getByRole("button", { name: "Save step" }).press("Enter");
    await page.getByText("The automation is saved.").waitFor();
  }

  const email = (subject: string) => ({ subject, text_body: `Hello {{name}}, see ${OFFER}` });

  it.each([true, false])("of five steps with a branch is made in 12 page loads (scripts: %s)", async (hasScripts) => {
    const { context, page, problems } = await site.open({ javaScriptEnabled: hasScripts });
    await context.addCookies(await site.signIn());
    let loads = 0;
    page.on("domcontentloaded", () => {
      loads += 1;
    });
    await create(page, "Twelve loads");
    await add(page, "1", "Send an email", email("Welcome"));
    await add(page, "2", "Wait", { count: "3", unit: "days" });
    await add(page, "3", "Branch by a condition", { "when.0.field": "plan", "when.0.value": "gold" });
    await add(page, "3, then 1", "Send an email", email("For gold"));
    await add(page, "3, else 1", "Notify the team", { message: "No gold" });
    expect(loads).toBe(12);
    expect(new URL(page.url()).hash).toBe("#step-2.else_steps.0");
    const cards = await page.locator("main .flow .card > p").allTextContents();
    const from = `from hello@automation.test`;
    expect(cards).toEqual([
      "contact.confirmed",
      `Send “Welcome” ${from}`,
      "Wait 3 days",
      "If plan is “gold”",
      `Send “For gold” ${from}`,
      "Notify the team: No gold",
    ]);
    expect(problems).toEqual([]);
  });

  it.each([
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ])(
    "shows the form of a step beside its card or below it, and moves and deletes the step there, in %o",
    async (size) => {
      const { context, page, problems } = await site.open();
      await context.addCookies(await site.signIn());
      await page.setViewportSize(size);
      await create(page, "Panel");
      for (const [index, message] of ["One", "Two", "Three"].entries())
        await add(page, String(index + 1), "Notify the team", { message });
      await page.getByRole("link", { name: "Notify the team: Three" }).click();
      const [card, form] = [page.locator(".chosen > .card"), page.locator(".drawer")];
      const [at, panel] = [await card.boundingBox(), await form.boundingBox()];
      if (!at || !panel) throw new Error("both are shown");
      if (size.width > 1_000) expect(panel.x).toBeGreaterThanOrEqual(at.x + at.width);
      else expect(panel.y).toBeGreaterThanOrEqual(at.y + at.height);
      expect(await page.locator(".drawer [name=message]").inputValue()).toBe("Three");
      expect(await findIssues(page)).toEqual([]);
      await page.getByRole("button", { name: "Move up" }).click();
      await page.getByText("The automation is saved.").waitFor();
      expect(new URL(page.url()).hash).toBe("#step-1");
      await page.getByRole("link", { name: "Notify the team: One" }).click();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("The automation is saved.").waitFor();
      expect(await page.locator("main .flow .card > p").allTextContents()).toEqual([
        "contact.confirmed",
        "Notify the team: Three",
        "Notify the team: Two",
      ]);
      expect(problems).toEqual([]);
    },
  );

  it("is made on the pages, step by step, with branches, and activated", async () => {
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn());
    await create(page, "Welcome");
    ids.automation = new URL(page.url()).pathname;
    await add(page, "1", "Send an email", email("Welcome"));
    await add(page, "2", "Wait for an event", { event: "email.clicked", count: "1", unit: "minutes" });
    await add(page, "2, then 1", "Send an email", { subject: "You liked it", text_body: "Then read this." });
    await add(page, "2, else 1", "Send an email", { subject: "Did you see it?", text_body: "There is an offer." });
    await add(page, "3", "Send an email", { subject: "Last of the series", text_body: "Good bye." });
    // The first email needs a link that is tracked, which plain text has not.
    const id = ids.automation.split("/").at(-1);
    const { steps } = await call<{ steps: { html?: string }[] }>(`/v1/automations/${id}`);
    const html = `<p>Hello</p><p><a href="${OFFER}">Our offer</a></p>`;
    await site.call("PATCH", `/v1/automations/${id}`, { steps: steps.with(0, { ...steps[0], html }) });
    await page.goto(ids.automation);
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole("button", { name: "Activate" }).press("Enter");
    await page.getByText("The automation is active.").waitFor();
    expect(problems).toEqual([]);
  });

  async function join(person: string): Promise<void> {
    const { page } = await site.open({ javaScriptEnabled: false });
    await page.goto(ids.form);
    await page.getByLabel("Email").fill(person);
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByText("Open the link in the email").waitFor();
    await page.goto(linkIn(await site.mailTo(person, /confirm/i), /\/c\//));
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("You have confirmed").first().waitFor();
  }

  it("welcomes who confirms, and goes on by a click, or without one after its minute", async () => {
    await join(CLICKER);
    await join(READER);
    const mail = await site.mailTo(CLICKER, /^Welcome$/);
    expect(mail.headers.map(({ key }) => key)).toContain("list-unsubscribe");
    const { context, page } = await site.open({ userAgent: PERSON });
    // The shop does not exist: the browser gets as far as the redirect.
    await expect(page.goto(linkIn(mail, /\/t\/c\//))).rejects.toThrow("ERR_NAME_NOT_RESOLVED");
    await context.close();
    await site.mailTo(CLICKER, /^You liked it$/);
    await site.mailTo(CLICKER, /^Last of the series$/);
    expect(subjectsTo(READER)).not.toContain("Did you see it?");
    const end = Date.now() + 120_000;
    while (!subjectsTo(READER).includes("Last of the series")) {
      expect(Date.now(), JSON.stringify(subjectsTo(READER))).toBeLessThan(end);
      await site.host.scheduled("* * * * *");
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const series = (person: string) => subjectsTo(person).filter((subject) => !/confirm/i.test(subject));
    // Between the last two there is no wait, so either may be first.
    const withoutOrder = (person: string) => [
      series(person)[0],
      new Set(series(person).slice(1)),
      series(person).length,
    ];
    expect(withoutOrder(CLICKER)).toEqual(["Welcome", new Set(["You liked it", "Last of the series"]), 3]);
    expect(withoutOrder(READER)).toEqual(["Welcome", new Set(["Did you see it?", "Last of the series"]), 3]);
  });

  it("shows on its pages who came how far, and why", async () => {
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn());
    await page.goto(ids.automation);
    const first = page.locator("#step-0 > .card");
    await first.getByText("2 passed").waitFor();
    await first.getByText("Version 1: 2 sent, 2 delivered, 0 opened, 1 clicked (50.0 %), 0 unsubscribed").waitFor();
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole("link", { name: READER }).click();
    await page.getByText("email.clicked did not come: took the other branch.").waitFor();
    expect(await page.locator(".flow .passed > .card > p").allTextContents()).toEqual([
      "contact.confirmed",
      ...["“Welcome”", "Wait for email.clicked", "“Did you see it?”", "“Last of the series”"].map((text) =>
        expect.stringContaining(text),
      ),
    ]);
    expect(await findIssues(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
