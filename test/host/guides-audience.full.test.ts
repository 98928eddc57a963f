import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, it } from "vitest";
import { SHOP } from "../../dev/example/shop.ts";
import { chromiumUnavailable } from "./support/browser.ts";
import { openWorkspace, walkGuide } from "./support/pictures/guide.ts";
import { type Service, startService } from "./support/pictures/local-service.ts";

/** Walks further guides of docs/guides/ in the example shop: forms, topics, segments, automations, templates, forwarding, assistants. */

let service: Service;
let page: Page;

describe.skipIf(chromiumUnavailable() !== null)("the steps of the guide", () => {
  beforeAll(async () => {
    service = await startService("--example");
    page = await service.open({ colorScheme: "light", reducedMotion: "reduce" });
    await page.goto(service.local.sign_in_url);
    await page.getByRole("button", { name: "Sign in as owner@example.org" }).click();
    await page.waitForURL("**/app");
  }, 180_000);

  afterAll(async () => {
    await service?.stop();
  });

  beforeEach(() => openWorkspace(page, SHOP.name));

  it("sign-up-form make a form that people can open, and change the email that asks for confirmation", () =>
    walkGuide(page, "sign-up-form", async (guide) => {
      await guide.follow("Contacts");
      await page.getByRole("link", { name: "Tea letter", exact: true }).click();
      await guide.follow("Sign-up forms");
      await guide.unfold("New form");
      await guide.fill("Name", "Foot of our page");
      await guide.fill("Heading", "The tea letter");
      await guide.fill("Text", "What has arrived, once a month.");
      await guide.fill("Further fields", "city: Your town");
      await guide.press("Create form");
      await page.getByRole("link", { name: "Foot of our page" }).click();
      await guide.see("HTML for your page");
      const forms = page.url().replace(/\/[^/]+$/, "");
      await guide.follow("Open the page");
      await page.getByRole("heading", { name: "The tea letter" }).waitFor();
      await page.getByLabel("Your town").waitFor();
      await page.goto(forms);
      await guide.fill("Subject of the email", "Please confirm the tea letter");
      await guide.press("Save");
      await guide.see("The confirmation is changed.");
    }));

  it("topics make a topic that a broadcast can have", () =>
    walkGuide(page, "topics", async (guide) => {
      await guide.follow("Topics");
      await guide.unfold("New topic");
      await guide.fill("Name", "Product news");
      await guide.fill("Description", "New teas, four times a year");
      await guide.fill("People without a choice are", "Subscribed until they leave");
      await guide.press("Create topic");
      await guide.see("Product news");
      await page.goto("/app/broadcasts/new");
      await page.locator("main").getByLabel("Topic").selectOption({ label: "Product news" });
    }));

  it("segments count the people who pass a condition", () =>
    walkGuide(page, "segments", async (guide) => {
      await guide.follow("Segments");
      await guide.follow("New segment");
      await guide.fill("Name", "Customers in Göteborg");
      await guide.fill("Kind of condition", "A field of the contact");
      await guide.press("Add a condition");
      const condition = page.getByRole("group", { name: "1. A field of the contact" });
      await guide.fill("Field", "city");
      await condition.getByLabel("Value").fill("Göteborg");
      await guide.fill("Value", "Göteborg");
      await guide.press("Save segment");
      await guide.see("Amina Holm", true);
      await guide.press("Count again");
      await guide.see("Amina Holm", true);
      await guide.follow("Edit");
      await page.goto("/app/broadcasts/new");
      await page.locator("main").getByLabel("Segment").selectOption({ label: "Customers in Göteborg" });
    }));

  it("automations make a series of two steps, try it for one person, and activate it", () =>
    walkGuide(page, "automations", async (guide) => {
      await guide.follow("Automations");
      await guide.unfold("New automation");
      await guide.fill("Name", "Welcome to the wholesale list");
      await guide.press("Create automation");
      await guide.follow("Send an email");
      await guide.fill("From", "hello@lindqvist.test");
      await guide.fill("Subject", "Welcome, {{name}}");
      await guide.fill("HTML", "<p>Good to have you here, {{name}}.</p>");
      await guide.press("Save step");
      await page.locator("summary[aria-label='Add a step: 2']").click();
      await guide.follow("Wait");
      await guide.fill("Wait for", "3");
      await guide.fill("Unit", "days");
      await guide.press("Save step");
      await guide.follow("Try it for one person");
      await guide.fill("Address of a contact", "kaffe@cafe-norr.test");
      await guide.press("Try it");
      await guide.see("Would send an email.");
      await page.getByRole("link", { name: "Welcome to the wholesale list" }).click();
      await guide.press("Activate");
      await guide.see(/^Active$/);
      await guide.follow("Settings");
    }));

  it("templates save a template, send a test of it, and lead to an email", () =>
    walkGuide(page, "templates", async (guide) => {
      await guide.follow("Templates");
      await guide.follow("New template");
      await guide.fill("Name", "Order");
      await guide.fill("Subject", "Your order {{number}}");
      await guide.fill("HTML", "<p>Thank you, {{name}}.</p>");
      await guide.press("Save");
      await guide.see("The template is saved.");
      await guide.unfold("Send a test");
      await page.getByRole("button", { name: "Send test", exact: true }).click();
      await service.captured("owner@example.org", "Your order");
      await page.goto("/app/templates");
      await page.getByRole("link", { name: "Order", exact: true }).click();
      await guide.follow("Write an email");
    }));

  it("forwarding make a rule that waits for the confirmation of its address", () =>
    walkGuide(page, "forwarding", async (guide) => {
      await guide.follow("Forwarding");
      await guide.follow("New rule");
      await guide.fill("Forward mail to", "hello@lindqvist.test");
      await guide.fill("From", "@post.test");
      await guide.fill("Subject contains", "order");
      await guide.fill("Send a copy to", "An email address");
      await guide.fill("Address, mailbox or URL", "partner@example.org");
      await guide.press("Create rule");
      await guide.see("partner@example.org has not confirmed yet");
      await service.captured("partner@example.org");
    }));

  it("share-a-mailbox let a second person in, and show each what the other does", () =>
    walkGuide(page, "share-a-mailbox", async (guide) => {
      const email = "astrid@example.org";
      await page.goto("/app/team");
      await guide.unfold("Invite a person");
      await guide.fill("Email address", email);
      await guide.fill("Role", "member of its mailboxes only");
      await guide.press("Send invitation");
      await join(email);
      await guide.follow("Mailboxes");
      await page.getByRole("link", { name: "hello@lindqvist.test" }).first().click();
      for (const person of ["owner@example.org", email]) await page.getByLabel(person).check();
      await guide.press("Assign");
      await page.goto("/mail");
      await page.getByRole("link", { name: "hello@lindqvist.test" }).first().click();
      await page.locator("main a[href*='/INBOX/']").first().click();
      await guide.fill("Assigned to", email);
      await guide.press("Assign");
      await guide.see(`assigned it to ${email}`);
      await guide.unfold("Add a note");
      await guide.fill("Note for the people of this mailbox", "She called twice.");
      await guide.press("Add note");
      await guide.see("She called twice.");
      await guide.press("Close");
      await guide.see("closed it");
      await guide.follow("Settings");
      await guide.follow("Saved replies");
      await guide.fill("Name", "On its way");
      await guide.fill("Text", "Good day {{name}}, it left us this morning.");
      await guide.press("Create saved reply");
    }));

  /** Joins the workspace in another browser, by the link of an invitation. */
  async function join(email: string) {
    const other = await service.open();
    const mail = (await service.captured(email)).replaceAll("=\r\n", "");
    await other.goto(/\/invitations\/[\w-]+/.exec(mail)?.[0] ?? "");
    await other.getByRole("button", { name: `Join as ${email}` }).click();
    await other.waitForURL(/\/(app|mail)/);
    await other.close();
  }

  it("connect-an-assistant make a key for it, and show what is connected", () =>
    walkGuide(page, "connect-an-assistant", async (guide) => {
      await guide.follow("API keys");
      await guide.unfold("New API key");
      await guide.fill("Name", "Assistant");
      await page.getByLabel("Custom").check();
      await page.getByLabel("Read mail in mailboxes").check();
      await guide.press("Create key");
      await guide.see("Your new API key");
      await page.goto("/app");
      await page.getByRole("button", { name: "Account" }).click();
      await guide.follow("Connected programs");
    }));
});
