import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumUnavailable } from "./support/browser.ts";
import { isFull } from "./support/extent.ts";
import { pressEnter, pressOn } from "./support/pages.ts";
import { type StorySite, startStorySite } from "./support/story-site.ts";
import { webmailOf } from "./support/webmail.ts";

/** The top tasks by keyboard alone, with and without scripts, in two time zones. */

interface Way {
  name: string;
  zone: string;
  options: BrowserContextOptions;
}

const WAYS: Way[] = [
  { name: "without scripts in Tokyo", zone: "Asia/Tokyo", options: { javaScriptEnabled: false } },
  { name: "with scripts in New York", zone: "America/New_York", options: { timezoneId: "America/New_York" } },
];

/** The ways of this run: `npm test` goes the one without scripts. */
const WANTED = isFull ? WAYS : WAYS.slice(0, 1);

let site: StorySite;

describe.skipIf(chromiumUnavailable() !== null).each(WANTED)("by keyboard, $name", ({ zone, options }) => {
  const city = zone.replaceAll(/[^a-z]/gi, "-").toLowerCase();

  beforeAll(async () => {
    site = await startStorySite(`${city}.tasks.test`);
  }, 120_000);

  afterAll(async () => {
    await site?.stop();
  });

  /** Opens a page as the owner, in the zone that the script has told at an earlier visit. */
  async function open(path: string) {
    const { page, context, problems } = await site.open(options);
    await context.addCookies([
      ...(await site.signIn()),
      { name: "tz", value: encodeURIComponent(zone), url: site.host.url },
    ]);
    await page.goto(path);
    return { page, context, problems };
  }

  const expectLocal = async (page: Page, selector: string) => {
    const time = page.locator(selector).first();
    const at = new Date((await time.getAttribute("datetime")) ?? "");
    const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone } as const;
    expect(await time.textContent()).toContain(new Intl.DateTimeFormat("en-GB", clock).format(at));
    expect(await time.getAttribute("title")).toMatch(/ UTC$/);
  };

  it("a developer learns in three actions why an email bounced, and sees when", async () => {
    const id = await send({ to: "bounced@simulator.test", subject: "To nobody" });
    await expect.poll(() => statusOf(id)).toBe("bounced");
    const { page, problems } = await open("/app");
    expect(await rowOf(page, "To nobody")).toContain("550 5.1.1");
    await pressOn(page, "Emails");
    await pressOn(page, "Bounced");
    expect(await rowOf(page, "To nobody")).toContain("550 5.1.1");
    await pressOn(page, "To nobody");
    expect(await rowOf(page, "bounced@simulator.test")).toContain("550 5.1.1");
    await expectLocal(page, ".timeline time");
    expect(problems).toEqual([]);
  });

  it("support finds the receipt of Ada and sees that it was delivered", async () => {
    const id = await send({ to: "ada@example.org", subject: "Your receipt" });
    await send({ to: "grace@example.org", subject: "Your receipt" });
    await expect.poll(() => statusOf(id)).toBe("delivered");
    const { page } = await open("/app/emails");
    await typeInto(page, "q", "to:ada@example.org");
    await pressEnter(page);
    expect(await page.locator("main tbody tr").count()).toBe(1);
    await pressOn(page, "Your receipt");
    expect(await page.locator("main tbody .status").allTextContents()).toEqual(["Delivered"]);
    expect(await page.locator(".timeline .status").allTextContents()).toEqual([
      "Accepted from the API",
      "Delivered to ada@example.org",
    ]);
    await expectLocal(page, ".timeline time");
  });

  it("a sender imports a list and broadcasts to it", async () => {
    const { page } = await open("/app/contacts");
    await pressOn(page, "New list", "Space");
    await typeInto(page, "name", `People of ${zone}`);
    await pressEnter(page);
    await pressOn(page, "Import a file");
    // The window in which a file is chosen belongs to the system.
    const buffer = Buffer.from("email,name\nada@example.org,Ada\ngrace@example.org,Grace\n");
    await page.setInputFiles("[name=file]", { name: "people.csv", mimeType: "text/csv", buffer });
    if (options.javaScriptEnabled === false) await pressOn(page, "Import");
    else await pressOn(page, "Import", "Space");
    await page.getByText("2 imported").waitFor();
    await page.goto("/app/broadcasts/new");
    await typeInto(page, "name", "News by keyboard");
    await tabTo(page, "contact_list_id");
    await page.keyboard.type(`People of ${zone}`);
    await pressOn(page, "Continue");
    await typeInto(page, "subject", `Good day from ${zone}, {{name}}`);
    await typeInto(page, "text_body", "News.");
    await pressOn(page, "Continue");
    await pressOn(page, "Continue");
    expect(await mainText(page)).toContain("2 contacts get it.");
    await pressOn(page, "Send now");
    const news = await site.mailTo("grace@example.org", new RegExp(`^Good day from ${zone}`));
    expect(news.subject).toBe(`Good day from ${zone}, Grace`);
  });

  it("an owner adds a domain, verifies it, and offers it to another account", async () => {
    const [name, to] = [`${city}.test`, `target@${zone.length}.example.org`];
    const now = site.ctx.now();
    const insert = "INSERT INTO users (id, email, email_key, created_at) VALUES (?1, ?2, ?2, ?3)";
    await site.ctx.db.prepare(insert).bind(site.ctx.newId(), to, now).run();
    const { page } = await open("/app/domains");
    await pressOn(page, "Add a domain", "Space");
    await typeInto(page, "name", name);
    await pressEnter(page);
    await pressOn(page, "Check records");
    const setUp = page.getByRole("region", { name: "Set-up of the domain" });
    expect(await setUp.locator(".status").textContent()).toBe("Verified");
    expect(await setUp.locator("time").getAttribute("title")).toMatch(/ UTC$/);
    await typeInto(page, "target_email", to);
    await pressOn(page, "Offer the domain");
    expect(await rowOf(page, name)).toContain("Pending");
    expect((await site.mailTo(to, /^Transfer of/)).subject).toBe(`Transfer of ${name}`);
    await pressOn(page, `Cancel the transfer of ${name}`);
    expect(await rowOf(page, name)).toContain("Cancelled");
  });

  it("a mailbox user finds a mail, reads and replies to it", async () => {
    const mail = webmailOf(site);
    const question = `Where is it in ${city}`;
    await mail.receive({ subject: "Something else" });
    await site.receive({
      ...{ from: "friend@example.org", to: site.workspace.mailbox, subject: question, text: "My parcel." },
    });
    await expect.poll(() => mail.subjects("INBOX")).toContain(question);
    const { page } = await open(mail.path("/INBOX"));
    await typeInto(page, "q", "parcel");
    await pressEnter(page);
    expect(await page.locator("ul.messages > li").count()).toBe(1);
    await pressOn(page, question);
    expect(await mainText(page)).toContain("My parcel.");
    await expectLocal(page, "article time");
    await pressOn(page, "Reply");
    await page.locator(":is(.editor, [name=text]):focus").waitFor();
    await page.keyboard.type(`It is in ${zone}.`);
    await pressOn(page, "Send without undo");
    expect((await site.mailTo("friend@example.org", new RegExp(`^Re: ${question}$`))).text).toContain(
      `It is in ${zone}.`,
    );
  });

  /** Sends an email of the workspace and returns its id. */
  async function send({ to, subject }: { to: string; subject: string }): Promise<string> {
    const body = { from_: { email: site.workspace.mailbox }, to: [{ email: to }], subject, text: "A text." };
    return (await site.call("POST", "/v1/emails/", body)).id;
  }

  const statusOf = async (id: string) => (await site.call<{ status: string }>("GET", `/v1/emails/${id}`)).status;
});

const mainText = async (page: Page) => (await page.locator("main").textContent()) ?? "";

/** Returns the text of the first row of a table that contains a text. */
const rowOf = async (page: Page, text: string) =>
  (await page.locator("main tbody tr").filter({ hasText: text }).first().textContent()) ?? "";

/** Presses Tab until the field with this name has the focus. Throws when Tab does not reach it. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `document.querySelector("main")?.contains(document.activeElement) && document.activeElement.name`;
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await page.evaluate(focused)) === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach the field ${name} on ${page.url()}`);
}

/** Types into a field that Tab reaches. */
async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.type(text);
}
