import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { eventually } from "./support/gateway-rig.ts";
import { openSite, unfold } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/**
 * A marketer without the API: imports the export of another service, makes a segment, writes a broadcast from blocks with a condition, sees
 * it as two people get it, schedules it by each person's clock on the day when the clocks of Europe go forward, and finds out why a third
 * person got none.
 */

const EXPORT = new URL("../unit/csv-exports/email-address-header.csv", import.meta.url).pathname;
const [GOLD, FREE, LEFT] = ["juergen@kunden.example", "yamada@kunden.example", "chloe@kunden.example"];
const HEADING = "[name='b.0.text']";

const site = perSuite(() => openSite("marketer.test"));

describe.skipIf(chromiumUnavailable() !== null)("a marketer's day in Chromium", { timeout: 180_000 }, () => {
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const preview = (page: Page) => page.frameLocator("iframe[name=preview]").locator("body");
  const shows = (page: Page, text: string) =>
    expect.poll(() => preview(page).textContent({ timeout: 1_000 }).catch(String), { timeout: 10_000 }).toContain(text);

  it("ends with a broadcast in two people's morning, and a reason why the third got none", async () => {
    const settings = { time_zone: "Europe/Berlin" };
    await site.call("PATCH", `/v1/workspaces/${site.workspace.workspaceId}`, { settings });
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn());
    await importPeople(page);
    await suppress(page, LEFT);
    await makeSegment(page);
    const path = await writeBroadcast(page);
    await schedule(page, path);
    const id = path.split("/").at(-1) ?? "";
    await makeEmails(id);
    expect(await dueTimes(id)).toEqual([
      [FREE, "2027-03-28T00:00:00.000Z"],
      [GOLD, "2027-03-28T07:00:00.000Z"],
    ]);
    await findReason(page, path);
    expect(problems).toEqual([]);
  });

  it("writes the email of a step in blocks, without a load for each block", async () => {
    const automation = { name: "Welcome", trigger: { event: "signed_up" } };
    const { id } = await site.call("POST", "/v1/automations/", automation);
    const { context, page, problems } = await site.open();
    await context.addCookies(await site.signIn());
    await page.goto(`/app/automations/${id}/steps/new?at=0&kind=send_email`);
    await page.getByRole("link", { name: "Blocks", exact: true }).click();
    await page.waitForURL(/editor=blocks/);
    let loads = 0;
    page.on("domcontentloaded", () => {
      loads += 1;
    });
    await page.locator("[name=subject]").fill("Welcome");
    await button(page, "Add text").click();
    await page.locator("[name='b.0.text']").fill("It is good to have you.");
    await page.locator("summary[aria-label='Insert before block 1']").click();
    await button(page, "Insert heading before block 1").click();
    await page.locator("[name='b.1.text']").waitFor();
    await page.locator(HEADING).fill("Welcome, {{name}}");
    expect(await findIssues(page)).toEqual([]);
    expect(loads).toBe(0);
    await button(page, "Save step").last().click();
    await page.getByText("The automation is saved.").waitFor();
    const { steps } = await site.call<{ steps: object[] }>("GET", `/v1/automations/${id}`);
    expect(steps).toMatchObject([{ subject: "Welcome", text: "Welcome, {{name}}\n\nIt is good to have you.\n" }]);
    await page.goto(`/app/automations/${id}/steps/0`);
    expect(await page.locator(HEADING).inputValue()).toBe("Welcome, {{name}}");
    expect(problems).toEqual([]);
  });

  async function importPeople(page: Page): Promise<void> {
    await page.goto("/app/contacts");
    await unfold(page, "New list");
    await page.locator("[name=name]").fill("Customers");
    await button(page, "Create list").click();
    await page.waitForURL(/\/app\/contacts\/.+/);
    await page.goto(`${new URL(page.url()).pathname}/import`);
    await page.locator("[name=file]").setInputFiles(EXPORT);
    await page.locator("main fieldset").waitFor();
    await button(page, "Import").click();
    await page.getByText("3 imported, 0 skipped, 0 refused.").waitFor();
  }

  async function suppress(page: Page, address: string): Promise<void> {
    await page.goto("/app/suppressions");
    await unfold(page, "Suppress an address");
    await page.locator("[name=email]").fill(address);
    await button(page, "Suppress").click();
    await page.getByRole("cell", { name: address, exact: true }).waitFor();
  }

  async function makeSegment(page: Page): Promise<void> {
    await page.goto("/app/segments/new");
    await page.getByLabel("Name", { exact: true }).fill("With a plan");
    await page.locator('[name="conditions.add"]').selectOption("field");
    await button(page, "Add a condition").click();
    await page.locator('[name="conditions.0.field"]').fill("Plan");
    await page.locator('[name="conditions.0.is"]').selectOption("exists");
    await button(page, "Save segment").click();
    await page.waitForURL(/\/app\/segments\/[0-9a-f-]{36}/);
  }

  /** Writes the broadcast in blocks, of which one is for people with a plan, and returns its path. */
  async function writeBroadcast(page: Page): Promise<string> {
    await page.goto("/app/broadcasts/new");
    await page.locator("[name=name]").fill("Spring news");
    await page.locator("[name=contact_list_id]").selectOption({ index: 1 });
    await page.locator("[name=segment_id]").selectOption({ label: "With a plan" });
    await button(page, "Continue").click();
    await page.waitForURL(/\/content$/);
    await page.getByRole("link", { name: "Blocks", exact: true }).click();
    await page.locator("[name=subject]").fill("Spring for {{name}}");
    await button(page, "Add heading").click();
    await page.locator(HEADING).fill("Good morning, {{name}}");
    await button(page, "Add text").click();
    await page.locator("[name='b.1.text']").fill("Twenty percent for gold.");
    await page.locator("summary[aria-label='Condition of block 2']").click();
    await page.locator("[name='b.1.showIf']").fill("Plan");
    await page.locator("[name='b.1.equals']").fill("gold");
    expect(await findIssues(page)).toEqual([]);
    await page.locator("[name=contact]").fill(GOLD);
    await shows(page, "Good morning, Jürgen Müller");
    await shows(page, "Twenty percent for gold.");
    await page.locator("[name=contact]").fill(FREE);
    await shows(page, "Good morning, 太郎 山田");
    expect(await preview(page).textContent()).not.toContain("gold");
    await button(page, "Continue").click();
    await page.waitForURL(/\/test$/);
    return new URL(page.url()).pathname.replace(/\/test$/, "");
  }

  /** Sees the stored broadcast as both people get it, and schedules it at nine on the day when the clocks of Berlin go forward. */
  async function schedule(page: Page, path: string): Promise<void> {
    await page.goto(`${path}/review?contact=${GOLD}`);
    await shows(page, "Twenty percent for gold.");
    await page.goto(`${path}/review?contact=${FREE}`);
    await shows(page, "Good morning, 太郎 山田");
    expect(await preview(page).textContent()).not.toContain("gold");
    await page.getByText("At a time", { exact: true }).click();
    await page.locator("[name=scheduled_at]").fill("2027-03-28T09:00");
    await page.getByLabel("By which clock").selectOption({ label: "Each person's own time zone, from TIMEZONE" });
    expect(await findIssues(page)).toEqual([]);
    await button(page, "Schedule").click();
    await page.getByText("The broadcast is scheduled.").waitFor();
  }

  /**
   * Makes the emails, as the run does when the easternmost clock shows nine. No clock of a Worker can be set, so the broadcast is due now, and
   * has its own time again from the moment at which it begins.
   */
  async function makeEmails(id: string): Promise<void> {
    const { mailDb, host } = site;
    const restore = await mailDb.prepare("SELECT scheduled_at AS at FROM broadcasts WHERE id = ?1").bind(id).first();
    await mailDb
      .prepare(
        `CREATE TRIGGER as_if_due AFTER UPDATE OF status ON broadcasts WHEN new.id = '${id}'
         BEGIN UPDATE broadcasts SET scheduled_at = ${Number(restore?.at)} WHERE n = new.n; END`,
      )
      .run();
    onTestFinished(async () => {
      await mailDb.prepare("DROP TRIGGER as_if_due").run();
    });
    await mailDb.batch([
      mailDb.prepare("UPDATE broadcasts SET scheduled_at = ?2 WHERE id = ?1").bind(id, Date.now()),
      mailDb.prepare("UPDATE outbox SET due_at = ?2 WHERE id = ?1").bind(id, Date.now()),
    ]);
    await host.scheduled("* * * * *");
  }

  /** Returns when each of two emails is due. */
  const dueTimes = (id: string) =>
    eventually(async () => {
      const { results } = await site.mailDb
        .prepare(
          `SELECT e.recipients->>'$[0].email' AS address, e.scheduled_at AS at FROM emails e
             JOIN broadcasts b ON b.n = e.broadcast WHERE b.id = ?1 ORDER BY e.scheduled_at`,
        )
        .bind(id)
        .all<{ address: string; at: number }>();
      return results.length < 2 ? undefined : results.map(({ address, at }) => [address, new Date(at).toISOString()]);
    });

  async function findReason(page: Page, path: string): Promise<void> {
    await page.goto(path);
    await page.locator(`a[href="${path}/skipped"]`).first().click();
    const row = page.getByRole("row", { name: new RegExp(LEFT) });
    expect(await row.textContent()).toMatch(/suppress/i);
    expect(await findIssues(page)).toEqual([]);
    await row.getByRole("link", { name: LEFT }).click();
    const skipped = page.getByRole("row", { name: /Spring news/ });
    expect(await skipped.textContent()).toMatch(/suppress/i);
    expect(await page.locator(".notice").first().textContent()).toContain("This person gets");
    expect(await findIssues(page)).toEqual([]);
  }
});
