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

  it("is made on the pages, step by step, with branches, and activated", async () => {
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn());
    await page.goto("/app/automations");
    await unfold(page, "New automation");
    await page.getByLabel("Name", { exact: true }).fill("Welcome");
    await page.getByLabel("Begins with the event").fill("contact.confirmed");
    await page.getByLabel("Begins with the event").press("Enter");
    await page.getByText("The automation is created.").waitFor();
    ids.automation = new URL(page.url()).pathname;

    async function add(at: string, kind: string, fields: Record<string, string>) {
      await page.goto(`${ids.automation}/steps/new?at=${at}`);
      await page.getByLabel("Kind").selectOption({ label: kind });
      await page.getByRole("button", { name: "Continue" }).press("Enter");
      for (const [name, value] of Object.entries(fields)) {
        const field = page.locator(`form [name="${name}"]`);
        if ((await field.evaluate((element) => element.tagName)) === "SELECT") await field.selectOption(value);
        else await field.fill(value);
      }
      expect(await findIssues(page)).toEqual([]);
      await page.getByRole("button", { name: "Save step" }).press("Enter");
      await page.getByText("The automation is saved.").waitFor();
    }
    await add("0", "Send an email", { subject: "Welcome", text: `Hello {{name}}, see ${OFFER}` });
    await add("1", "Wait for an event", { event: "email.clicked", count: "1", unit: "minutes" });
    await add("1.then_steps.0", "Send an email", { subject: "You liked it", text: "Then read this." });
    await add("1.else_steps.0", "Send an email", { subject: "Did you see it?", text: "There is an offer." });
    await add("2", "Send an email", { subject: "Last of the series", text: "Good bye." });
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
    await page.getByText("2 came here").first().waitFor();
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole("link", { name: READER }).click();
    await page.getByText("email.clicked did not come: took the other branch.").waitFor();
    expect(await findIssues(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
