import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { isFull } from "./support/extent.ts";
import { unfold } from "./support/pages.ts";
import { linkIn, startStorySite } from "./support/story-site.ts";
import { perSuite } from "./support/suite.ts";

/** A person joins a list by its form, confirms, gets a broadcast to a topic, and leaves that topic alone. In Chromium, with mail that left. */

const site = perSuite(() => startStorySite("consent.test"));
const FRIEND = "grace@consent.example";

describe.skipIf(chromiumUnavailable() !== null)("a person in Chromium", () => {
  const ids = { list: "", form: "", topic: "", other: "" };

  beforeAll(async () => {
    ids.topic = await create("/v1/topics/", { name: "Product news", is_public: true });
    ids.other = await create("/v1/topics/", { name: "Offers", is_public: true });
    ids.list = await create("/v1/contacts/", { name: "Newsletter", confirm: true });
  });

  const call = <Out>(path: string, body?: object, method = body ? "POST" : "GET") => site.call<Out>(method, path, body);

  const create = async (path: string, body: object) => (await call<{ id: string }>(path, body)).id;
  const contacts = async () =>
    (await call<{ contacts: { email: string; status: string }[] }>(`/v1/contacts/${ids.list}`)).contacts;

  async function broadcast(subject: string, topic: string | null): Promise<string> {
    const body = {
      ...{ name: subject, subject, html_body: "<p>Hello</p>", from_address: site.workspace.mailbox },
      ...{ contact_list_id: ids.list, topic_id: topic },
    };
    const id = await create("/v1/broadcasts/", body);
    await call(`/v1/broadcasts/${id}/send`, {});
    return id;
  }

  it("finds the form that its owner makes on a page", async () => {
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn());
    await page.goto(`/app/contacts/${ids.list}/forms`);
    await unfold(page, "New form");
    await page.getByLabel("Name", { exact: true }).fill("Footer");
    await page.getByLabel("Heading").fill("News of the shop");
    await page.getByLabel("Text", { exact: true }).fill("Once a month we write what is new.");
    await page.getByLabel("Further fields").fill("name: Your name\ncity: Your town *");
    await page.getByRole("button", { name: "Create form" }).click();
    await page.getByText("The form is created.").waitFor();
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole("link", { name: "Footer" }).click();
    await page.getByText("HTML for your page").waitFor();
    expect(await findIssues(page)).toEqual([]);
    expect(problems).toEqual([]);
    const [form] = await call<{ id: string; url: string; html: string }[]>(`/v1/contacts/${ids.list}/forms`);
    ids.form = new URL(form?.url ?? "").pathname;
    expect(form?.html).toContain('name="city"');
  });

  it("fills it in without scripts, and is on the list after the button of the confirmation", async () => {
    const { page } = await site.open({ javaScriptEnabled: false });
    await page.goto(ids.form);
    await page.getByLabel("Email").fill(FRIEND);
    await page.getByLabel("Your name").fill("Grace Hopper");
    await page.getByLabel("Your town").fill("New York");
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByText("Open the link in the email").waitFor();
    expect(await contacts()).toMatchObject([{ email: FRIEND, status: "pending" }]);
    const mail = await site.mailTo(FRIEND, /confirm/i);
    await page.goto(linkIn(mail, /\/c\//));
    expect(await contacts()).toMatchObject([{ status: "pending" }]);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("You have confirmed").first().waitFor();
    expect(await contacts()).toMatchObject([
      { status: "active", name: "Grace Hopper", metadata: { city: "New York" } },
    ]);
  });

  it("has a form and a confirmation that are accessible and load nothing from elsewhere", async () => {
    const { page, problems } = await site.open();
    await page.goto(ids.form);
    expect(await findIssues(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("leaves the topic of a broadcast by its link, and gets the next one of another topic", async () => {
    await broadcast("News 1", ids.topic);
    const mail = await site.mailTo(FRIEND, /News 1/);
    const { context, page } = await site.open({ javaScriptEnabled: false });
    await page.goto(new URL(unsubscribeLink(mail)).pathname);
    await page.getByRole("button", { name: "Unsubscribe from Product news" }).click();
    await page.getByText("You are unsubscribed").first().waitFor();
    await context.close();
    const second = await broadcast("News 2", ids.topic);
    await broadcast("Offers 1", ids.other);
    await site.mailTo(FRIEND, /Offers 1/);
    await expect
      .poll(async () => (await call<{ status: string }>(`/v1/broadcasts/${second}`)).status, { timeout: 20_000 })
      .toBe("sent");
    expect(site.left.filter(({ raw }) => raw.includes("Subject: News 2"))).toEqual([]);
  });

  it("leaves another topic by one click of the mail program (RFC 8058), and nothing else", async () => {
    const offer = await site.mailTo(FRIEND, /Offers 1/);
    const response = await fetch(`${site.host.url}${new URL(unsubscribeLink(offer)).pathname}`, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
    expect(response.status).toBe(200);
    const person = await call<{ unsubscribed_from_all: boolean; topics: { name: string; state: string }[] }>(
      `/v1/people/${encodeURIComponent(FRIEND)}/topics`,
    );
    expect(person.unsubscribed_from_all).toBe(false);
    expect(person.topics.map(({ name, state }) => [name, state])).toEqual([
      ["Product news", "unsubscribed"],
      ["Offers", "unsubscribed"],
    ]);
    await broadcast("For everybody", null);
    await site.mailTo(FRIEND, /For everybody/);
  });

  it.runIf(isFull)("is exported and erased on pages, and its address is in no table and no object then", async () => {
    const { DB, MAIL_0, MAIL_1, CONTENT } = site.host.env;
    const [contact] = await call<{ contacts: { id: string }[] }>(`/v1/contacts/${ids.list}`).then(
      (list) => list.contacts,
    );
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn());
    await page.goto(`/app/contacts/${ids.list}/contacts/${contact?.id}`);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: /export/i }).click();
    const exported = await text(await (await download).createReadStream());
    expect(exported).toContain("Grace Hopper");
    expect(await placesOf(FRIEND)).toContainEqual(expect.stringMatching(/^MAIL_\d contacts$/));
    await page.getByRole("link", { name: /erase/i }).click();
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole("button", { name: "Erase this person" }).click();
    await page.getByText("The erasure runs in the background").waitFor();
    expect(await findIssues(page)).toEqual([]);
    // As if the two minutes before its beginning had passed.
    await DB.prepare("UPDATE outbox SET due_at = due_at - 130000 WHERE kind = 'purge'").run();
    await expect
      .poll(
        async () => {
          await site.host.scheduled("* * * * *");
          await page.reload();
          return page.getByText("The person is erased.").count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    await page.getByText("consents", { exact: true }).waitFor();
    expect(await placesOf(FRIEND)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();

    async function placesOf(address: string): Promise<string[]> {
      const places: string[] = [];
      for (const [name, database] of Object.entries({ DB, MAIL_0, MAIL_1 })) {
        const { results } = await database
          .prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '[_]*' AND name NOT GLOB 'sqlite_*'",
          )
          .all<{ name: string }>();
        for (const { name: table } of results) {
          const rows = await database.prepare(`SELECT * FROM ${table}`).all();
          if (JSON.stringify(rows.results).toLowerCase().includes(address)) places.push(`${name} ${table}`);
        }
      }
      for (const { key } of (await CONTENT.list()).objects)
        if ((await (await CONTENT.get(key))?.text())?.toLowerCase().includes(address)) places.push(`object ${key}`);
      return places;
    }
  });
});

/** Returns the https link of List-Unsubscribe. */
function unsubscribeLink({ headers }: { headers: { key: string; value: string }[] }): string {
  const value = headers.find(({ key }) => key === "list-unsubscribe")?.value ?? "";
  return /<(https?:[^>]+)>/.exec(value)?.[1] ?? "";
}
