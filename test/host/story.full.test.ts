import type { Page } from "playwright-core";
import PostalMime from "postal-mime";
import { beforeAll, describe, expect, it } from "vitest";
import { chromiumUnavailable } from "./support/browser.ts";
import { eventually } from "./support/gateway-rig.ts";
import { unfold } from "./support/pages.ts";
import { linkIn, type StorySite, startStorySite } from "./support/story-site.ts";
import { perSuite } from "./support/suite.ts";

/**
 * Two people use the service from end to end in Chromium. The steps build on each other; after each one the browser has
 * logged no error, refused nothing by its policy, and asked no other host.
 */

const CONTACTS = 1_000;
const SAMPLE = 200;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const DAY_MS = 24 * 3_600_000;

const site = perSuite(() => startStorySite("story.test"));
let ada: Awaited<ReturnType<StorySite["open"]>>;
let grace: typeof ada;
let key = "";

describe.skipIf(chromiumUnavailable() !== null)("two people in Chromium", () => {
  beforeAll(async () => {
    [ada, grace] = await Promise.all([site.open(), site.open()]);
  });

  const expectNoProblem = () => expect([ada.problems, grace.problems]).toEqual([[], []]);

  it("sign in by the link that arrives by mail", async () => {
    await signIn(ada.page, "ada@story.test");
    expect(await ada.page.locator("#account").textContent()).toContain("ada@story.test");
    expect(await ada.page.title()).toMatch(/^Home · /);
    expectNoProblem();
  });

  it("add a domain, see its records, and verify it by DNS", async () => {
    const { page } = ada;
    await page.getByRole("link", { name: "Domains" }).click();
    await unfold(page, "Add a domain");
    await page.getByLabel("Domain name").fill("shop.test");
    await press(page, "Add domain");
    await shown(page, "The domain is added. Publish its records, then check them.");
    const setUp = page.getByRole("region", { name: "Set-up of the domain" });
    expect(await setUp.locator(".status").textContent()).toBe("Pending");
    expect(await page.locator(".records code").allTextContents()).toContain("svc-bounces");
    await press(page, "Check records");
    await shown(page, "The domain is verified.");
    expect(await setUp.locator(".status").textContent()).toBe("Verified");
    expect(await page.locator("table[aria-label='Required records'] tbody .status").allTextContents()).toEqual(
      expect.not.arrayContaining(["Missing", "Mismatch"]),
    );
    await page.getByRole("link", { name: "Mailboxes" }).click();
    await unfold(page, "New mailbox");
    await page.getByLabel("Name before the @").fill("hello");
    await page.getByLabel("Domain", { exact: true }).selectOption("shop.test");
    await press(page, "Create mailbox");
    await expect.poll(() => page.title()).toMatch(/^hello@shop\.test · /);
    expectNoProblem();
  });

  it("make a key, send with it, and see the email and its timeline", async () => {
    const { page } = ada;
    await page.getByRole("link", { name: "API keys" }).click();
    await unfold(page, "New API key");
    await page.getByLabel("Name").fill("Shop server");
    await press(page, "Create key");
    await shown(page, "Copy the key now. It is not shown again.");
    key = /svc_k_\w{40}/.exec(await mainText(page))?.[0] ?? "";
    const { status } = await call("POST", "/v1/emails/", {
      from_: { email: "hello@shop.test", name: "The shop" },
      to: [{ email: "friend@example.org" }],
      subject: "Your receipt",
      text: "Thank you for your order.",
    });
    expect(status).toBe(202);
    const arrived = await site.mailTo("friend@example.org", /^Your receipt$/);
    expect([arrived.from?.address, arrived.text?.trim()]).toEqual(["hello@shop.test", "Thank you for your order."]);
    // A domain that this service publishes has RSA keys only.
    expect(arrived.headers.filter(({ key: name }) => name === "dkim-signature")).toHaveLength(1);

    await page.getByRole("link", { name: "Emails", exact: true }).click();
    await page.getByRole("searchbox", { name: "Search emails" }).fill("to:friend@example.org");
    await press(page, "Search");
    await page.getByRole("link", { name: "Your receipt" }).click();
    await expect.poll(() => eventsOn(page)).toEqual(["Accepted from the API", "Delivered to friend@example.org"]);
    expect(await page.locator("main tbody .status").allTextContents()).toEqual(["Delivered"]);
    expect(await mainText(page)).toContain("Thank you for your order.");
    expectNoProblem();
  });

  it("import 1,000 contacts from a CSV file, and read which rows were refused", async () => {
    const { page } = ada;
    await page.getByRole("link", { name: "Contacts" }).click();
    await unfold(page, "New list");
    await page.getByLabel("Name").fill("Customers");
    await press(page, "Create list");
    const rows = Array.from({ length: CONTACTS }, (_, n) => `person${n}@example.org,Person ${n},City ${n % 7}`);
    await page.getByRole("link", { name: "Import a file" }).click();
    await chooseFile(page, ["email,name,city", ...rows, "no address,Nobody,Nowhere"].join("\n"));
    expect(await page.locator("main fieldset").textContent()).toContain("person0@example.org · person1@example.org");
    await press(page, "Import");
    await shown(page, "1,000 imported");
    expect(await page.locator("#result li").allTextContents()).toEqual([expect.stringContaining("1002")]);
    await page.getByRole("link", { name: "Show the list" }).click();
    await shown(page, "1,000 contacts.");
    await page.getByLabel("Find by address or name").fill("person999@");
    await press(page, "Find");
    await expect.poll(() => page.locator("main tbody tr").count()).toBe(1);
    expectNoProblem();
  });

  it("broadcast with an A/B test: a sample gets two subjects, and everybody else the promoted one", async () => {
    const { page } = ada;
    await page.getByRole("link", { name: "Broadcasts" }).click();
    await page.getByRole("link", { name: "New broadcast" }).click();
    await page.getByLabel("Name", { exact: false }).first().fill("November news");
    await page.getByLabel("From").selectOption("hello@shop.test");
    await page.getByLabel("Audience").selectOption({ label: "Customers (1000)" });
    await press(page, "Continue");
    await page.locator("main [name=subject]").fill("News for {{name}}");
    await page
      .locator("[name=html_body]")
      .fill('<p>Hello {{name}} in {{city}}.</p><a href="https://example.com/news">News</a>');
    await page.locator("main summary", { hasText: "Compare subjects" }).click();
    await page.getByLabel("Subject of A").fill("Plain news, {{name}}");
    await page.getByLabel("Subject of B").fill("Loud news!");
    await page.getByLabel("Sample in percent").fill("20");
    await press(page, "Continue");
    await page.getByRole("link", { name: "Continue" }).click();
    await expect.poll(() => mainText(page)).toContain("200 get a variant now; 800 wait for your winner.");
    expect(await numbersOn(page)).toMatchObject({ "Get it": "1,000" });
    await press(page, "Send now");
    await shown(page, "The broadcast is being sent.");
    const sample = await newsOnce(SAMPLE);
    const subjects = Map.groupBy(sample, ({ subject }) => (subject.startsWith("Plain news, Person") ? "A" : subject));
    expect([...subjects.keys()].sort()).toEqual(["A", "Loud news!"]);
    expect(new Set(sample.map(({ to }) => to)).size).toBe(SAMPLE);
    expect(sample[0]?.html).toMatch(/Hello Person \d+ in City \d/);

    await click([...(subjects.get("A") ?? []).slice(0, 40), ...(subjects.get("Loud news!") ?? []).slice(0, 5)]);
    await eventually(async () => {
      await page.reload();
      return (await numbersOn(page)).Clicked?.startsWith("45 ") || undefined;
    });
    await page.getByRole("link", { name: "Compare the variants" }).click();
    expect(await page.getByRole("table", { name: "Comparison of click rates" }).textContent()).toContain("A is better");
    expect(await page.locator("main .list td[data-column=Clicked]").allTextContents()).toEqual(["40", "5"]);
    await page.getByRole("link", { name: "The broadcast", exact: true }).click();
    await page.getByRole("link", { name: "Promote A" }).click();
    await press(page, "Send A to 800 contacts");
    await shown(page, "The variant is sent to everybody else.");
    const all = await newsOnce(CONTACTS);
    expect(new Set(all.map(({ to }) => to)).size).toBe(CONTACTS);
    expect(all.filter(({ subject }) => subject === "Loud news!")).toHaveLength(
      subjects.get("Loud news!")?.length ?? Number.NaN,
    );
    await eventually(async () => {
      await page.reload();
      return (await factOf(page, "Status")) === "Sent" || undefined;
    });
    await eventually(async () => {
      await page.reload();
      return (await numbersOn(page)).Delivered === "1,000 (100.0 %)" || undefined;
    });
    expect(await mainText(page)).toContain("A (promoted)");
    expectNoProblem();
  });

  it("transfer the domain: a second person signs in and accepts, and gets it after the safety window", async () => {
    const { page } = ada;
    // Only a person with an account can get a domain.
    await signIn(grace.page, "grace@example.org");
    await page.getByRole("link", { name: "Domains" }).click();
    await page.getByRole("link", { name: "shop.test" }).click();
    await page.getByLabel("Email address of the recipient's account").fill("grace@example.org");
    await page.getByLabel("Note to the recipient").fill("As agreed.");
    await press(page, "Offer the domain");
    await shown(page, "The domain is offered. The recipient gets a link by mail.");

    const offer = await site.mailTo("grace@example.org", /^Transfer of shop\.test$/);
    expect(offer.text).toContain("> As agreed.");
    await grace.page.goto(linkIn(offer, /\/domain-transfers\/accept\//));
    expect(await mainText(grace.page)).toContain("1 mailbox and 0 messages move with it.");
    await press(grace.page, "Accept the transfer");
    await shown(grace.page, "shop.test moves to your workspace at");
    const warning = await site.mailTo("ada@story.test", /^shop\.test will move to grace@example\.org$/);
    expect(linkIn(warning, /\/domain-transfers\/stop\//)).toBeTruthy();

    await site.passTime(DAY_MS - 60_000);
    await grace.page.goto("/app/domains");
    expect(await mainText(grace.page)).not.toContain("shop.test");
    await site.passTime(3 * 60_000);
    await eventually(async () => {
      await grace.page.goto("/app/domains");
      return (await mainText(grace.page)).includes("shop.test") || undefined;
    });
    expect(await grace.page.locator("main tbody .status").allTextContents()).toEqual(["Verified", "Nothing is wrong"]);
    await page.goto("/app/domains");
    expect(await mainText(page)).not.toContain("shop.test");
    await page.goto("/app/transfers");
    expect(await page.locator("main tbody .status").allTextContents()).toEqual(["Completed"]);
    const refused = await call("POST", "/v1/emails/", {
      ...{ from_: { email: "hello@shop.test" }, to: [{ email: "friend@example.org" }], subject: "Late", text: "Late" },
    });
    expect(refused.status).toBe(422);
    expectNoProblem();
  });

  it("replies to a mail in webmail, and it arrives with its thread", async () => {
    const { page } = grace;
    await page.goto("/mail");
    await page.getByRole("link", { name: "hello@shop.test" }).click();
    await page.locator("#rows .empty").waitFor();
    const inbox = new URL(page.url()).pathname;
    await page.locator("html[data-connected]").waitFor();
    await site.receive({
      ...{ from: "Friend <friend@example.org>", to: "hello@shop.test", messageId: "<question@example.org>" },
      ...{ subject: "Where is my parcel?", text: "It is late." },
    });
    await page.getByRole("link", { name: "Where is my parcel?" }).click();
    await expect.poll(() => mainText(page)).toContain("It is late.");
    await page.getByRole("link", { name: "Reply", exact: true }).click();
    expect(await page.getByLabel("To", { exact: true }).inputValue()).toContain("friend@example.org");
    // The plain field is hidden once the editor is there.
    await page.locator(".editor[role=textbox]").fill("It arrives tomorrow.");
    await press(page, "Send without undo");
    const result = await site.mailTo("friend@example.org", /^Re: Where is my parcel\?$/);
    expect(result).toMatchObject({
      from: { address: "hello@shop.test" },
      inReplyTo: "<question@example.org>",
      text: expect.stringContaining("It arrives tomorrow."),
    });
    await eventually(async () => {
      await page.goto(inbox.replace("INBOX", "Sent"));
      return (await page.getByRole("link", { name: "Re: Where is my parcel?" }).count()) === 1 || undefined;
    });
    expectNoProblem();
  });

  /** Asks for a sign-in link and opens the one that arrives. */
  async function signIn(page: Page, email: string): Promise<void> {
    await page.goto("/auth/sign-in");
    await page.getByLabel("Email address").fill(email);
    await press(page, "Email me a link");
    await shown(page, "is on its way");
    await page.goto(linkIn(await site.mailTo(email, /^Sign in to /), /\/auth\/magic-link\//));
    await press(page, `Sign in as ${email}`);
    await page.waitForURL("**/app");
  }

  /** Calls the API with the key that the page has shown. */
  const call = (method: string, path: string, body: object) =>
    fetch(`${site.host.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  /** Returns the emails of the broadcast as they arrived, when there are `count`. */
  async function newsOnce(count: number) {
    const isNews = ({ to }: { to: string }) => to.startsWith("person");
    await eventually(() => site.left.filter(isNews).length >= count || undefined);
    return Promise.all(
      site.left.filter(isNews).map(async ({ to, raw }) => {
        const { subject = "", html = "" } = await PostalMime.parse(Buffer.from(raw, "latin1"));
        return { to, subject, html };
      }),
    );
  }

  /** Follows the tracked link of each email as a person does. */
  async function click(mails: readonly { html: string }[]): Promise<void> {
    for (const mail of mails) {
      const response = await fetch(`${site.host.url}${linkIn(mail, /\/t\/c\//)}`, {
        headers: { "User-Agent": FIREFOX },
        redirect: "manual",
      });
      expect(response.headers.get("Location")).toBe("https://example.com/news");
    }
  }
});

const mainText = async (page: Page) => (await page.locator("main").textContent()) ?? "";
const press = (page: Page, button: string) => page.getByRole("button", { name: button, exact: true }).click();
const shown = (page: Page, text: string) => page.locator("main").getByText(text).first().waitFor();
const eventsOn = (page: Page) => page.locator(".timeline .status").allTextContents();

/** Returns a value of the list of facts of a page. */
const factOf = async (page: Page, name: string) =>
  (await page.locator(`dl.facts dt:text-is("${name}") + dd`).first().textContent())?.trim();

/** Returns the figures of a page by their names. */
async function numbersOn(page: Page): Promise<Record<string, string>> {
  const names = await page.locator("dl.numbers dt").allTextContents();
  const values = await page.locator("dl.numbers dd").allTextContents();
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}

/** Chooses a CSV file and waits for its columns. */
async function chooseFile(page: Page, text: string): Promise<void> {
  await page.setInputFiles("[name=file]", { name: "customers.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.locator("main fieldset").waitFor();
}
