import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** Lists of the dashboard that change by themselves, in Chromium. A page is read again after 5 s. */

const PATIENCE = { timeout: 15_000 };

const site = perSuite(() => openSite("live.test"));

describe.skipIf(chromiumUnavailable() !== null)("live lists of the dashboard in Chromium", () => {
  async function open(path: string) {
    const opened = await site.open();
    await opened.context.addCookies(await site.signIn());
    await opened.page.goto(path);
    return opened;
  }

  /** Waits until an email is delivered, so that from then on only the test changes it. */
  const delivered = (id: string) =>
    expect
      .poll(() => site.mailDb.prepare("SELECT status FROM emails WHERE id = ?1").bind(id).first("status"), PATIENCE)
      .toBe("delivered");

  const rows = (page: Page) => page.locator("main .list tbody tr");

  it("show new and changed emails, and leave the other rows, the focus and the scroll position", async () => {
    await delivered(await site.sendEmail());
    const { page, problems } = await open("/app/emails");
    await rows(page).first().locator("a").focus();
    await page.evaluate("document.querySelector('main .list tbody tr').wasHere = true; window.scrollTo(0, 40)");
    const focused = await page.evaluate("document.activeElement.href");
    const scrolled = await page.evaluate("window.scrollY");
    const id = await site.sendEmail();
    await expect.poll(() => rows(page).count(), PATIENCE).toBe(2);
    expect(await rows(page).first().getAttribute("id")).toBe(`email-${id}`);
    expect(await page.evaluate("document.querySelectorAll('main .list tbody tr')[1].wasHere")).toBe(true);
    expect(await page.evaluate("document.activeElement.href")).toBe(focused);
    expect(await page.evaluate("window.scrollY")).toBe(scrolled);
    await site.mailDb.prepare("UPDATE emails SET subject = 'Changed' WHERE id = ?1").bind(id).run();
    await expect.poll(() => rows(page).first().textContent(), PATIENCE).toContain("Changed");
    expect(await page.evaluate("document.querySelectorAll('main .list tbody tr')[1].wasHere")).toBe(true);
    expect(await findIssues(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("show the state and actions of an email, whose form keeps its key, and stop when nothing changes any more", async () => {
    const id = await site.sendEmail();
    await delivered(id);
    await site.mailDb.prepare("UPDATE emails SET status = 'queued' WHERE id = ?1").bind(id).run();
    const { page } = await open(`/app/emails/${id}`);
    await page.clock.install();
    const key = () => page.locator("main [name=idempotency_key]").first().getAttribute("value");
    const before = await key();
    let reads = 0;
    page.on("request", (request) => {
      if (request.url().endsWith(`/app/emails/${id}`)) reads += 1;
    });
    await expect.poll(() => reads, PATIENCE).toBe(1);
    await expect.poll(key).toBe(before);
    await site.mailDb.prepare("UPDATE emails SET status = 'bounced' WHERE id = ?1").bind(id).run();
    await page.getByRole("button", { name: "Retry" }).waitFor(PATIENCE);
    await expect.poll(() => page.locator("#state").textContent()).toContain("Bounced");
    const after = reads;
    await page.clock.fastForward(60_000);
    expect(reads).toBe(after);
  });

  it("keep the rows of their workspace after another tab has switched, whose forms then change nothing", async () => {
    const other = await openSite("other-live.test", { name: "Another Shop" });
    const join = "INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'owner', 0)";
    const { workspaceNumber } = other.workspace;
    await site.ctx.db.prepare(join).bind(workspaceNumber, site.workspace.userId).run();
    await other.sendEmail();
    const { page, context } = await open("/app/emails");
    const before = await rows(page).count();
    expect(before).toBeGreaterThan(1);
    const [form, tab] = [await context.newPage(), await context.newPage()];
    await form.goto("/app/emails?status=bounced");
    await form.getByText("Saved searches").click();
    await form.getByLabel("Name of this search").fill("Bounces");
    await tab.goto("/app");
    await tab.getByRole("button", { name: "Workspace Example Shop" }).click();
    await tab.getByRole("button", { name: "Open Another Shop" }).click();
    await tab.getByRole("button", { name: "Workspace Another Shop" }).waitFor();
    await page.bringToFront();
    const read = await page.waitForResponse((response) => response.url().endsWith("/app/emails"), PATIENCE);
    expect(await read.text()).toContain("Workspace Another Shop");
    expect(await rows(page).count()).toBe(before);
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("This form is for Example Shop, and you are in Another Shop now.").waitFor();
    expect(await findIssues(form)).toEqual([]);
    const opened = context.waitForEvent("page");
    await form.getByRole("button", { name: "Switch to Example Shop" }).click();
    const back = await opened;
    await back.getByRole("button", { name: "Workspace Example Shop" }).waitFor();
    expect(back.url()).toMatch(/\/app\/emails\?status=bounced$/);
    await form.getByRole("button", { name: "Send the form again" }).click();
    await form.getByText("Saved searches (1)").waitFor();
    await context.close();
    await other.stop();
  });

  it("show the first and the last row of an outbox as it comes and goes", async () => {
    const { userId } = site.workspace;
    await site.ctx.db.prepare("UPDATE users SET is_platform_admin = 1 WHERE id = ?1").bind(userId).run();
    // Rows of files that ran before on the same service.
    await site.ctx.db.prepare("DELETE FROM outbox").run();
    const { page } = await open("/app/admin/outboxes/main");
    await page.getByText("This outbox is empty").waitFor();
    const due = Date.now() + 3_600_000;
    await site.ctx.db
      .prepare("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, 'a-row', 'none', 'a')")
      .bind(due)
      .run();
    await expect.poll(() => rows(page).count(), PATIENCE).toBe(1);
    await site.ctx.db.prepare("DELETE FROM outbox WHERE id = 'a-row'").run();
    await page.getByText("This outbox is empty").waitFor(PATIENCE);
  });

  it("show the results of the variants and the promotion of a winner once the sample was sent, and the promotion ends both", async () => {
    const api = <Out>(path: string, body?: unknown) => site.call<Out>("POST", path, body);
    const list = await api<{ id: string }>("/v1/contacts/", { name: "Readers" });
    for (let n = 0; n < 10; n++)
      await api(`/v1/contacts/${list.id}/contacts`, { email: `delivered+${n}@simulator.test` });
    const text = { subject: "News", text_body: "Hello", from_address: site.workspace.mailbox };
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const created = { ...text, name: "News", contact_list_id: list.id, ab_test_pct: 40, scheduled_at };
    const { id } = await api<{ id: string }>("/v1/broadcasts/", created);
    for (const label of ["A", "B"]) await api(`/v1/broadcasts/${id}/variants`, { label, subject: label });
    const { page, problems } = await open(`/app/broadcasts/${id}`);
    await page.evaluate("window.wasHere = true");
    expect(await page.getByRole("link", { name: "Promote B" }).count()).toBe(0);
    await api(`/v1/broadcasts/${id}/send`);
    await page.getByRole("link", { name: "Promote B" }).waitFor({ timeout: 60_000 });
    await expect.poll(() => page.locator("#variants tbody tr").last().textContent(), PATIENCE).toMatch(/^BB12/);
    expect(await page.evaluate("window.wasHere")).toBe(true);
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole("link", { name: "Promote B" }).click();
    await page.getByText("6 contacts who are not in the sample of 4 get the variant B").waitFor();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "Promote B" }).click();
    await page.getByRole("button", { name: "Send B to 6 contacts" }).click();
    await page.getByText("The variant is sent to everybody else.").waitFor();
    await expect.poll(() => page.locator("#variants tbody tr").last().textContent(), PATIENCE).toContain("(promoted)");
    expect(await page.getByRole("link", { name: "Promote B" }).count()).toBe(0);
    expect(problems).toEqual([]);
  }, 120_000);
});
