import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** A question that the figures answer, from Home to the emails behind them, in Chromium. */

const site = perSuite(() => openSite("figures.test"));

describe.skipIf(chromiumUnavailable() !== null)("which receiver bounced most last week", () => {
  it("is answered from Home in three page loads, the last of which lists its bounced emails", async () => {
    const addresses = ["bounced@simulator.test", "bounced+2@simulator.test", "delivered@simulator.test"];
    const from_ = { email: site.workspace.mailbox };
    for (const email of addresses)
      await site.call("POST", "/v1/emails/", { from_, to: [{ email }], subject: `To ${email}`, text: "Hello" });
    const { page, context, problems } = await site.open();
    await context.addCookies(await site.signIn());
    const bounced = page.locator("dl.tiles div", { hasText: "Bounced" }).getByRole("link");
    await expect
      .poll(async () => {
        await page.goto("/app");
        return bounced.textContent();
      })
      .toBe("2");
    const loaded: string[] = [];
    page.on("request", (request) => request.isNavigationRequest() && loaded.push(new URL(request.url()).pathname));
    await page.goto("/app");
    await bounced.click();
    const row = page.getByRole("table", { name: "Recipient domains" }).getByRole("row").nth(1);
    expect(await row.textContent()).toContain("simulator.test");
    await row.getByRole("link", { name: /^2 \(/ }).click();
    await page.waitForURL(/\/app\/emails\?/);
    const emails = page.getByRole("table", { name: "Emails" }).getByRole("row");
    await expect.poll(() => emails.count()).toBe(3);
    for (const at of [1, 2]) expect(await emails.nth(at).textContent()).toMatch(/Bounced.*To bounced/s);
    expect(loaded).toEqual(["/app", "/app/analytics", "/app/emails"]);
    expect([await findIssues(page), problems]).toEqual([[], []]);
  });
});
