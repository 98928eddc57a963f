import { beforeAll, describe, expect, it } from "vitest";
import { newUnsubscribeUrl } from "../../src/platform/mail-tokens/return-path.ts";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** The page behind the unsubscribe link of mail with a topic, as its recipient uses it in Chromium. */

const site = perSuite(() => openSite("topics.test"));
let topics: { news: string; offers: string };
let path = "";

describe.skipIf(chromiumUnavailable() !== null)("the page of an unsubscribe link in Chromium", () => {
  beforeAll(async () => {
    topics = {
      news: await create("/v1/topics/", { name: "Product news", description: "Once a month", is_public: true }),
      offers: await create("/v1/topics/", { name: "Offers", is_public: true, default: "unsubscribed" }),
    };
    const mail = {
      ...{ from_: { email: "hello@topics.test" }, to: [{ email: "friend@example.org" }] },
      ...{ subject: "News", text: "News", topic_id: topics.news },
    };
    const emailId = await create("/v1/emails/", mail);
    const about = { workspace: site.workspace.workspaceNumber, emailId, recipient: 0 };
    path = new URL(await newUnsubscribeUrl(site.ctx.settings.masterKeys, about, site.host.url)).pathname;
  });

  const call = (at: string, body?: object) =>
    fetch(`${site.host.url}${at}`, {
      method: body ? "POST" : "GET",
      headers: { Authorization: `Bearer ${site.workspace.apiKey}`, "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  async function create(at: string, body: object): Promise<string> {
    const response = await call(at, body);
    expect(response.ok, await response.clone().text()).toBe(true);
    return ((await response.json()) as { id: string }).id;
  }

  async function states() {
    const response = await call("/v1/people/friend%40example.org/topics");
    const person = (await response.json()) as {
      unsubscribed_from_all: boolean;
      topics: { name: string; state: string }[];
    };
    return {
      all: person.unsubscribed_from_all,
      ...Object.fromEntries(person.topics.map((each) => [each.name, each.state])),
    };
  }

  it("is accessible, at each width and in each colour scheme, and loads nothing from elsewhere", async () => {
    const { page, problems } = await site.open();
    await page.goto(path);
    expect(await page.title()).toContain("Unsubscribe from Product news?");
    expect(await findIssues(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("leaves the topic, joins another, leaves all and comes back, without scripts", async () => {
    const { page } = await site.open({ javaScriptEnabled: false });
    await page.goto(path);
    expect(await states()).toEqual({ all: false, "Product news": "subscribed", Offers: "unsubscribed" });
    await page.getByRole("button", { name: "Unsubscribe from Product news" }).click();
    await page.getByText("You are unsubscribed").first().waitFor();
    expect(await states()).toEqual({ all: false, "Product news": "unsubscribed", Offers: "unsubscribed" });
    await page.getByLabel("Offers").check();
    await page.getByRole("button", { name: "Save my choice" }).click();
    await page.getByText("Your choice is saved").first().waitFor();
    expect(await states()).toEqual({ all: false, "Product news": "unsubscribed", Offers: "subscribed" });
    await page.getByRole("button", { name: "Unsubscribe from all mailings" }).click();
    await page.getByText("You are unsubscribed from all mailings").waitFor();
    expect(await states()).toMatchObject({ all: true });
    await page.getByLabel("Product news").check();
    await page.getByRole("button", { name: "Save my choice" }).click();
    await page.getByText("Your choice is saved").first().waitFor();
    expect(await states()).toEqual({ all: false, "Product news": "subscribed", Offers: "unsubscribed" });
  });
});
