import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import nodemailer from "nodemailer";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHOP } from "../../dev/example/shop.ts";
import { ROOT } from "../../dev/layout.ts";
import { chromiumUnavailable } from "./support/browser.ts";
import { type Guide, openWorkspace, walkGuide } from "./support/pictures/guide.ts";
import { type Service, startService } from "./support/pictures/local-service.ts";
import { startReceiver } from "./support/pictures/receiver.ts";

/** Walks the steps of the guides in docs/guides/ on a fresh `npm start -- --example`. With PICTURES=1 it takes their pictures. */

const PARTNER = "grace@example.org";
const CUSTOMERS = [
  "email,name,city",
  ...["Ada Lovelace,London", "Grace Hopper,New York", "Alan Turing,London", "Radia Perlman,Boston"].map(
    (row) => `${row.split(",")[0]?.toLowerCase().replace(" ", ".")}@example.org,${row}`,
  ),
  ...Array.from({ length: 36 }, (_, n) => `reader${n}@example.org,Reader ${n},City ${n % 5}`),
].join("\n");

const run = promisify(execFile);

let service: Service;
let page: Page;

describe.skipIf(chromiumUnavailable() !== null)("the steps of the guide", () => {
  beforeAll(async () => {
    service = await startService("--example");
    page = await service.open({ colorScheme: "light", reducedMotion: "reduce" });
  }, 180_000);

  afterAll(async () => {
    await service?.stop();
  });

  /** Reloads the page and returns the status in the first row of its list. */
  async function firstStatus(): Promise<string | null> {
    await page.reload();
    return page.locator("main .list .status").first().textContent();
  }

  const open = (workspace: string) => openWorkspace(page, workspace);
  const walk = (name: string, steps: (guide: Guide) => Promise<unknown>) => walkGuide(page, name, steps);

  it("first-email send an email, show its timeline and the email as it arrived, and make a key that sends", () =>
    walk("first-email", async (guide) => {
      await page.goto(service.local.sign_in_url);
      await guide.press("Sign in as owner@example.org");
      await page.waitForURL("**/app");
      await open("Example");
      await guide.unfold("Send a test mail");
      await guide.fill("To", "friend@example.org");
      await page.setViewportSize({ width: 1_000, height: 640 });
      await guide.picture("first-email-form");
      await guide.press("Send");
      await guide.see(/^Delivered$/, true);
      await guide.picture("first-email-timeline");
      await service.captured("friend@example.org", "A test mail");
      const captured = await service.open({ viewport: { width: 1_000, height: 640 } });
      await captured.goto(service.local.captured_mail_url);
      await captured.getByRole("link", { name: "A test mail" }).first().click();
      guide.page = captured;
      await guide.picture("first-email-captured");
      await captured.context().close();
      guide.page = page;
      await guide.follow("API keys");
      await guide.unfold("New API key");
      await guide.fill("Name", "My program");
      await guide.press("Create key");
      const [key] = /svc_k_\w{40}/.exec((await page.locator("main").textContent()) ?? "") ?? [];
      const [, command = ""] = /\n( +curl -i [\s\S]*?)\n\n/.exec(guide.text) ?? [];
      const printed = command.replace("http://127.0.0.1:8787", service.url);
      const { stdout } = await run("bash", ["-c", printed], { env: { ...process.env, API_KEY: key } });
      expect(stdout).toMatch(/^HTTP\/1.1 202 /);
    }));

  it("bounces lead to the reason in three actions, and retry the email", () =>
    walk("bounces", async (guide) => {
      await open(SHOP.name);
      await guide.follow("Emails");
      await guide.follow("Bounced");
      await guide.picture("bounces-list");
      const row = page.getByRole("row", { name: /elin\.sandgren@post\.test/ });
      await row.getByRole("link", { name: /^Your receipt for order/ }).click();
      await page
        .getByRole("cell", { name: /550 5\.1\.1 .*Recipient address rejected/ })
        .first()
        .waitFor();
      await guide.picture("bounces-reason");
      await guide.press("Retry");
      await guide.see("Retry of");
      await guide.follow("Suppressions");
      await page.getByRole("button", { name: "Remove elin.sandgren@post.test" }).click();
      await page.getByText("elin.sandgren@post.test gets email again.").waitFor();
    }));

  it("verify-a-domain verify it by the local DNS, show what DNS has instead, and make a mailbox", () =>
    walk("verify-a-domain", async (guide) => {
      await open("Example");
      await guide.follow("Domains");
      await guide.unfold("Add a domain");
      await guide.fill("Domain name", "shop.test");
      await guide.fill("Records to publish", "CNAMEs, once: the service changes its keys behind them");
      await guide.press("Add domain");
      await guide.see("Publish these records once");
      await guide.picture("verify-a-domain-records");
      const zone = page.waitForEvent("download");
      await guide.follow("Download all records as a zone file");
      expect((await zone).suggestedFilename()).toContain("shop.test");
      await guide.press("Check records");
      await guide.see("The domain is verified.");
      const setUp = page.getByRole("region", { name: "Set-up of the domain" });
      expect(await setUp.locator(".status").textContent()).toBe("Verified");
      await guide.picture("verify-a-domain-verified");
      await guide.follow("Mailboxes");
      await guide.unfold("New mailbox");
      await guide.fill("Name before the @", "hello");
      await page.locator("main").getByLabel("Domain", { exact: true }).selectOption("shop.test");
      await guide.fill("Domain", "shop.test");
      await guide.press("Create mailbox");
      await expect.poll(() => page.title()).toMatch(/^hello@shop\.test · /);
      await page.goto("/app/domains");
      await guide.unfold("Add a domain");
      await guide.fill("Domain name", "wrong-shop.test");
      await guide.fill("Records to publish", "The values themselves, and new ones when keys change");
      await guide.press("Add domain");
      await guide.see("Publish the required records");
      await guide.press("Check records");
      await guide.see("It cannot send until the required records match");
      await page.goto("/app/domains");
      await page.getByRole("link", { name: "wrong-shop.test" }).click();
      await guide.follow("Show what DNS has instead");
      await page.locator(".found").first().scrollIntoViewIfNeeded();
      await guide.picture("verify-a-domain-mismatch");
      await guide.follow("Health");
      await guide.press("Check now");
      await guide.see("Last check");
    }));

  it("set-up-smtp make a credential that sends", () =>
    walk("set-up-smtp", async (guide) => {
      await guide.follow("SMTP");
      await guide.unfold("New credential");
      await guide.fill("Domain", "shop.test");
      await guide.press("Create credential");
      const [host, port, user, pass] = await page
        .locator("main dd.code")
        .evaluateAll((values) => values.map((value) => value.firstChild?.textContent?.trim() ?? ""));
      await guide.picture("set-up-smtp-credential");
      await guide.follow("I have copied it");
      const transport = nodemailer.createTransport({
        ...{ host: host ?? "", port: Number(port), requireTLS: true },
        auth: { user: user ?? "", pass: pass ?? "" },
        tls: { rejectUnauthorized: false },
      });
      await transport.sendMail({
        from: "hello@shop.test",
        to: "friend@example.org",
        subject: "By SMTP",
        text: "It works.",
      });
      transport.close();
      await guide.follow("Emails");
      await page.getByRole("link", { name: "By SMTP" }).click();
      await guide.see(/^Delivered$/, true);
      await guide.picture("set-up-smtp-email");
    }));

  it("broadcasts import a list, compare two variants, and send the better one to everybody else", () =>
    walk("broadcasts", async (guide) => {
      await open(SHOP.name);
      await guide.follow("Contacts");
      await guide.unfold("New list");
      await guide.fill("Name", "Readers");
      await guide.press("Create list");
      await guide.follow("Import a file");
      await guide.fill("CSV file", { name: "readers.csv", text: CUSTOMERS });
      await guide.see("Ada Lovelace");
      await guide.picture("broadcasts-rows");
      await guide.press("Import");
      await guide.see("40 imported");
      await guide.follow("Show the list");
      await guide.picture("broadcasts-list");
      await guide.follow("Broadcasts");
      await guide.follow("New broadcast");
      await guide.fill("Name", "December news");
      await guide.fill("Audience", "Readers (40)");
      await guide.press("Continue");
      await guide.fill("Subject", "News for {{name}}");
      await guide.fill("HTML", "<h1>News</h1><p>Hello {{name}}, we read in {{city}} this month.</p>");
      await guide.unfold("Compare subjects in an A/B test");
      await guide.fill("Subject of A", "News for {{name}}");
      await guide.fill("Subject of B", "What we read in {{city}} this month");
      await guide.fill("Sample in percent", "20");
      await guide.press("Continue");
      await guide.press("Send test");
      await guide.see("The test is on its way.");
      await guide.follow("Continue");
      await guide.see("8 get a variant now; 32 wait for your winner.");
      await guide.picture("broadcasts-draft");
      await guide.press("Send now");
      await guide.see(/^Sent$/, true);
      await guide.follow("Compare the variants, with confidence intervals");
      await guide.see("No clear winner yet");
      await guide.follow("The broadcast");
      await guide.follow("Promote B");
      await guide.press("Send B to 32 contacts");
      await guide.see("The variant is sent to everybody else.");
      await page.goto("/app/broadcasts");
      await page.getByRole("link", { name: "Autumn harvest" }).click();
      await guide.follow("Compare the variants, with confidence intervals");
      await guide.picture("broadcasts-results");
    }));

  it("debug-a-webhook show the request of a test and why it failed, and send it again", () =>
    walk("debug-a-webhook", async (guide) => {
      const receiver = await startReceiver();
      await guide.follow("Webhooks");
      await guide.follow("New webhook");
      await guide.fill("URL", receiver.url);
      await guide.press("Create webhook");
      await guide.follow("I have copied it");
      await guide.press("Send a test");
      await guide.see(/^1 delivery/, true);
      await expect.poll(() => firstStatus(), { timeout: 20_000 }).toBe("Retrying");
      await guide.picture("debug-a-webhook-deliveries");
      await page.locator("main .list a").first().click();
      await guide.see("HTTP 500");
      await guide.picture("debug-a-webhook-delivery");
      receiver.mend();
      await guide.press("Send again");
      await expect.poll(() => receiver.accepted(), { timeout: 15_000 }).toBeGreaterThan(0);
      receiver.stop();
    }));

  it("use-a-mailbox set a password, read, reply, undo, on a computer and a phone", () =>
    walk("use-a-mailbox", async (guide) => {
      await open(SHOP.name);
      await guide.follow("Mailboxes");
      await page.getByRole("link", { name: "hello@lindqvist.test" }).click();
      await guide.fill("New password", "correct horse battery staple");
      await guide.press("Set password");
      const own = await service.open({ colorScheme: "light", reducedMotion: "reduce" });
      guide.page = own;
      await own.goto("/mail");
      await guide.fill("Email address", "hello@lindqvist.test");
      await guide.fill("Password", "correct horse battery staple");
      await guide.press("Sign in");
      await own.waitForURL("**/INBOX");
      await guide.picture("use-a-mailbox-inbox");
      await guide.picture("use-a-mailbox-phone", { width: 360, height: 640 });
      await own.setViewportSize({ width: 1_000, height: 640 });
      await own.getByRole("link", { name: "Re: Where is my order 20471?", exact: true }).click();
      await own.locator("main").getByText("How kind, thank you!").last().waitFor();
      await guide.picture("use-a-mailbox-message");
      await guide.follow("Reply");
      const editor = own.getByRole("textbox", { name: "Text", exact: true });
      await editor.pressSequentially("It has arrived.");
      await guide.press("Send");
      await guide.press("Undo");
      expect(await editor.textContent()).toContain("It has arrived.");
      await guide.follow("Settings");
      await guide.follow("Automatic reply");
      await guide.fill("Reply automatically", "on");
      await guide.fill("Text", "I am back in December.");
      await guide.press("Save automatic reply");
      await guide.see("The automatic reply is on.");
      await guide.follow("Import and export");
      await guide.see("Imports in the background");
      await own.goto("/mail");
      await own.getByRole("checkbox", { name: "Select Re: Where is my order 20471?" }).check();
      await guide.press("Archive");
      await guide.see("messages moved to Archive.");
      await guide.press("Undo");
      await guide.see("messages moved back.");
      await own.context().close();
    }));

  it("transfer-a-domain offer it, accept it, and show the safety window to both", () =>
    walk("transfer-a-domain", async (guide) => {
      const theirs = await service.open({ colorScheme: "light", viewport: { width: 1_000, height: 640 } });
      await service.signIn(theirs, PARTNER);
      await open("Example");
      await guide.follow("Domains");
      await page.getByRole("link", { name: "shop.test", exact: true }).click();
      await guide.fill("Email address of the recipient's account", PARTNER);
      await guide.fill("Note to the recipient", "As agreed.");
      await guide.press("Offer the domain");
      const offer = await service.captured(PARTNER, "Transfer of shop.test");
      const [link = ""] = /\/domain-transfers\/accept\/[\w-]+/.exec(offer.replaceAll("=\r\n", "")) ?? [];
      guide.page = theirs;
      await theirs.goto(link);
      await guide.picture("transfer-a-domain-accept");
      await guide.press("Accept the transfer");
      await guide.see("shop.test");
      guide.page = page;
      await page.locator(".switcher").click();
      await guide.follow("Transfers");
      await guide.see("accepted");
      await guide.picture("transfer-a-domain-waiting");
      await theirs.context().close();
    }));

  it("are shown by every picture of docs/guides/images/", () => {
    const folder = path.join(ROOT, "docs/guides");
    const guides = readdirSync(folder).filter((name) => name.endsWith(".md"));
    const texts = guides.map((name) => readFileSync(path.join(folder, name), "utf8")).join("");
    const images = readdirSync(path.join(folder, "images"));
    expect(images.filter((name) => !texts.includes(`](images/${name})`))).toEqual([]);
  });
});
