import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { isFull } from "./support/extent.ts";
import { mainButtons, openSite, pressOn, titleOf, unfold } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** Home, analytics, webhooks, notifications, forwarding, the inbound log and the pages of administrators in Chromium. */

type Visit = [path: string, title: string, act?: (page: Page) => Promise<unknown>];

const site = perSuite(() => openSite("dashboard.test"));

describe.skipIf(chromiumUnavailable() !== null)("pages of the dashboard in Chromium", () => {
  afterAll(async () => {
    // The pages of administrators are of the whole service, which other files share.
    await site.ctx.db.batch([site.ctx.db.prepare("DELETE FROM blocked_hosts WHERE host = 'evil.example'")]);
  });

  /** Visits pages one after the other and checks in every look that each has its title, no issue and no problem. */
  async function visitAll(visits: readonly Visit[], userId = site.workspace.userId) {
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn(userId));
    for (const [path, title, act] of visits) {
      await page.goto(path);
      await act?.(page);
      await expect.poll(() => titleOf(page), { message: path }).toBe(title);
      expect(await findIssues(page), path).toEqual([]);
      expect(problems, path).toEqual([]);
      expect((await mainButtons(page)).length, path).toBeLessThanOrEqual(1);
    }
  }

  it("with invalid forms have no accessibility issue, console error, foreign request or sideways scroll", async () => {
    const mail = { from_: site.workspace.mailbox, to: "no address" };
    await visitAll([
      ["/app", "Home", (page) => sendTestMail(page, mail)],
      ["/app/webhooks/new", "New webhook", (page) => fill(page, { url: "https://10.0.0.1/" }, "Create webhook")],
      ["/app/forwarding/new", "New forwarding rule", (page) => fill(page, { target: "nobody" }, "Create rule")],
      [
        "/app/notifications/preferences",
        "Notification preferences",
        (page) => fill(page, { slack_webhook_url: "https://example.org/" }, "Set"),
      ],
    ]);
  });

  it("with rows have none of these", async () => {
    await addRows();
    const { mailbox } = site.workspace;
    await visitAll([
      ["/app", "Home", (page) => page.getByText("The figures as a table").click()],
      ["/app/analytics", "Analytics", (page) => page.getByText("The figures as a table").click()],
      [
        "/app/webhooks/new",
        "Your new webhook",
        (page) => fill(page, { url: "http://127.0.0.1:9/closed" }, "Create webhook"),
      ],
      ["/app/webhooks", "Webhook", (page) => open(page, "Send a test")],
      [
        "/app/webhooks",
        "Delivery of email.delivered",
        async (page) => {
          await page.locator("main .list a").first().click();
          await page.getByRole("link", { name: "email.delivered" }).click();
        },
      ],
      ["/app/webhooks", "Make a new secret?", (page) => open(page, "New secret", "link")],
      [
        "/app/forwarding/new",
        "Forwarding rule",
        (page) => fill(page, { type: "mailbox", target: mailbox }, "Create rule"),
      ],
      [
        "/app/forwarding/new",
        "The secret of the rule",
        (page) => fill(page, { type: "webhook", target: "http://127.0.0.1:9/in" }, "Create rule"),
      ],
      ["/app/forwarding", "Delete this rule?", (page) => open(page, "Delete", "link")],
      ["/app/inbound", "A question", (page) => page.getByRole("link", { name: "A question" }).click()],
      ["/app", "A test mail", (page) => sendTestMail(page, { from_: mailbox, to: "delivered@simulator.test" })],
    ]);
  });

  it.runIf(isFull)("for a member, who may not change or see all of them, have none of these", async () => {
    const member = await site.addMember();
    await visitAll(
      [
        ["/app", "Home"],
        ["/app/webhooks", "Webhooks"],
        ["/app/webhooks/new", "Not allowed"],
        ["/app/forwarding", "Forwarding"],
        ["/app/forwarding/new", "Not allowed"],
        ["/app/inbound", "Inbound log"],
        ["/app/notifications/preferences", "Notification preferences"],
        ["/app/analytics", "Analytics"],
        ["/app/webhooks/unknown", "Not found"],
        ["/app/admin/accounts", "Not allowed"],
      ],
      member,
    );
  });

  it.runIf(isFull)("of administrators of the platform have none of these", async () => {
    const { workspaceId, userId } = site.workspace;
    await site.ctx.db.prepare("UPDATE users SET is_platform_admin = 1 WHERE id = ?1").bind(userId).run();
    await visitAll([
      [`/app/admin/workspaces/${workspaceId}/pause`, "Workspaces", (page) => press(page, "Pause sending")],
      ["/app/admin/workspaces", "Workspaces", (page) => press(page, "End the pause of Example Shop")],
      [
        "/app/admin/transfers",
        "Force transfer",
        (page) => fill(page, { domain_id: "x", target_email: "a" }, "Move the domain"),
      ],
      ["/app/admin/outboxes/0", "Outboxes", (page) => press(page, "Release emails after an outage")],
      ["/app/admin/blocked-hosts", "Blocked hosts", (page) => block(page, "no host")],
      ["/app/admin/blocked-hosts", "Blocked hosts", (page) => block(page, "evil.example")],
    ]);
  });

  it("create, pause and delete a webhook without JavaScript and by keyboard", async () => {
    const { page, context } = await site.open({ javaScriptEnabled: false });
    await context.addCookies(await site.signIn());
    await page.goto("/app/webhooks/new");
    await page.focus("[name=url]");
    await page.keyboard.type("http://127.0.0.1:9/by-keyboard");
    await pressOn(page, "email.opened", "Space");
    await pressOn(page, "Create webhook");
    expect(await page.locator("main").textContent()).toMatch(/whsec_[A-Za-z0-9+/]{43}=/);
    await pressOn(page, "I have copied it");
    await pressOn(page, "Pause");
    expect(await page.locator("main").textContent()).toContain("The webhook is paused.");
    await pressOn(page, "Delete");
    await pressOn(page, "Delete webhook");
    expect(await page.locator("main").textContent()).toContain("The webhook is deleted.");
  });

  /** Writes counts, a notification, a transfer and a received email, as they come in. */
  async function addRows() {
    const { workspaceNumber, userId, mailboxId, domainId } = site.workspace;
    const [id, now] = [site.ctx.newId(), site.ctx.now()];
    const { DB } = site.host.env;
    await site.sendEmail();
    await DB.prepare(
      `INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, href, created_at)
       VALUES (?1, ?2, ?3, 'alerts', 'error', 'dashboard.test can no longer send', 'A body.', '/domains', ?4)`,
    )
      .bind(id, workspaceNumber, userId, now)
      .run();
    const { mailDb } = site;
    await mailDb.batch([
      mailDb
        .prepare(
          `INSERT INTO rollups_hourly (workspace, hour, domain, sent, delivered, bounced, emails_sent, emails_delivered, emails_bounced)
         SELECT ?1, ?2 - value * 5, 'a-domain-with-a-long-name.example.org', 40, 30, 4, 40, 30, 4 FROM json_each('[1,5,9,14,19]')`,
        )
        .bind(workspaceNumber, Math.floor(now / 3_600_000)),
      mailDb
        .prepare(
          `INSERT INTO inbound_emails (workspace, id, mailbox_id, domain_id, from_address, recipient, subject, text_preview,
           attachment_count, authentication, events, received_at)
         VALUES (?1, ?2, ?3, ?4, 'ada@example.org', 'hello@dashboard.test', 'A question', 'A text.', 1, ?5, ?6, ?7)`,
        )
        .bind(
          ...[workspaceNumber, id, mailboxId, domainId],
          JSON.stringify({
            spf: { result: "pass", domain: "example.org" },
            dkim: [],
            dmarc: { result: "fail", domain: null },
          }),
          JSON.stringify([{ event: "stored", folder: "INBOX", at: now }]),
          now,
        ),
    ]);
  }
});

/** Presses a button. */
const press = (page: Page, button: string) => page.getByRole("button", { name: button, exact: true }).click();

/** Fills fields of the page by their names and presses a button, past the checks of the browser. */
async function fill(page: Page, fields: Record<string, string>, button: string) {
  await page.evaluate("for (const form of document.forms) form.noValidate = true");
  for (const [name, value] of Object.entries(fields)) {
    const field = page.locator(`main [name=${name}]`).first();
    await ((await field.evaluate((element) => element.tagName)) === "SELECT"
      ? field.selectOption(value)
      : field.fill(value));
  }
  await press(page, button);
}

/** Blocks a host of tracking links. */
async function block(page: Page, host: string) {
  await unfold(page, "Block a host");
  await fill(page, { host }, "Block");
}

/** Opens the first row of a list and follows its link, or presses its button. */
async function open(page: Page, name: string, role: "button" | "link" = "button") {
  await page.locator("main .list a").first().click();
  await page.getByRole(role, { name, exact: true }).click();
}

/** Opens the form of a test mail on the home page, and sends it. */
async function sendTestMail(page: Page, fields: Record<string, string>): Promise<void> {
  await page.locator("summary", { hasText: "Send a test mail" }).click();
  await fill(page, fields, "Send");
}
