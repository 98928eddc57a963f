import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";
import { webmailOf } from "./support/webmail.ts";

const site = perSuite(() => openSite("answers.test"));
const mail = perSuite(() => webmailOf(site));

describe.skipIf(chromiumUnavailable() !== null)("webmail in two browsers", () => {
  it("asks the second of two people who answer one message, and keeps what they wrote", async () => {
    const uid = await mail.receive({ subject: "When do you deliver the Donaudampfschifffahrtsgesellschaft?" });
    const [first, second] = [await mail.open(), await mail.open({ viewport: { width: 390, height: 844 } })];
    for (const { page } of [first, second]) {
      await page.goto(`${mail.composePath}?reply=one&folder=INBOX&uid=${uid}`);
      await page.fill("[name=to]", "delivered@simulator.test");
    }
    const send = (page: Page) => page.getByRole("button", { name: "Send without undo" }).click();
    await send(first.page);
    await first.page.waitForURL(`**${mail.path("/INBOX")}/**`);
    await second.page.locator(".editor").fill("On Thursday.");
    await send(second.page);
    const asks = second.page.getByText("This message was answered since you opened it.");
    await asks.waitFor();
    expect(await second.page.locator(".editor").textContent()).toContain("On Thursday.");
    expect(await findIssues(second.page)).toEqual([]);
    await send(second.page);
    await second.page.waitForURL(`**${mail.path("/INBOX")}/**`);
  });
});
