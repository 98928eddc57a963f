import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { isFull } from "./support/extent.ts";
import { openSite, unfold } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** From the registration of a domain to the page that shows it as verified, when its zone file is imported by a DNS server. */

/** Set-ups with the labels of their choice. */
const SETUPS = [
  ["delegated", "CNAMEs, once: the service changes its keys behind them"],
  ["manual", "The values themselves, and new ones when keys change"],
] as const;

const site = perSuite(() => openSite("setup.test", { isPublished: false }));

describe.skipIf(chromiumUnavailable() !== null)("the set-up of a domain in Chromium", () => {
  it.each(isFull ? SETUPS : SETUPS.slice(0, 1))(
    "%s: the open page turns green by itself after the zone file is imported",
    async (setup, choice) => {
      const { page, problems } = await site.open({ acceptDownloads: true });
      await page.goto(await site.magicLink());
      await page.getByRole("button", { name: /^Sign in as / }).click();
      await page.waitForURL("**/app");
      await page.goto("/app/domains");
      const name = `${setup}.example`;
      await unfold(page, "Add a domain");
      await page.getByLabel("Domain name").fill(name);
      await page.getByLabel("Records to publish").selectOption({ label: choice });
      await page.getByRole("button", { name: "Add domain" }).click();
      await page.getByText("The domain is added.").waitFor();
      await page.evaluate("window.wasHere = true");
      expect(await statusOf(page)).toBe("Pending");
      await importZoneFile(await zoneFileOf(page));
      await expect.poll(() => statusOf(page), { timeout: 90_000 }).toBe("Verified");
      expect(await page.evaluate("window.wasHere")).toBe(true);
      const required = page.locator("#records table[aria-label='Required records'] tbody tr");
      expect(await required.count()).toBeGreaterThanOrEqual(1);
      for (const row of await required.all()) expect(await row.locator(".status").textContent()).toBe("Verified");
      if (setup === "delegated") await setPolicy(page);
      expect(problems).toEqual([]);
    },
    120_000,
  );
});

/** Sets the DMARC policy by its page. */
async function setPolicy(page: Page): Promise<void> {
  await page.getByRole("link", { name: "DMARC policy" }).click();
  await page.getByText("No reports have come yet.").waitFor();
  expect(await findIssues(page)).toEqual([]);
  await page.getByLabel("Mail that is not aligned").selectOption("reject");
  await page.getByRole("button", { name: "Set the policy" }).click();
  await page.getByText("The policy is set. Receivers see it within an hour.").waitFor();
  expect(await page.getByText("The policy behind it is p=reject.").count()).toBe(1);
}

const statusOf = (page: Page) => page.locator("section[aria-label='Set-up of the domain'] .status").textContent();

/** Downloads the zone file of the page of a domain. */
async function zoneFileOf(page: Page): Promise<string> {
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download all records as a zone file" }).click();
  return readFile(await (await download).path(), "utf8");
}

/** Imports a zone file by the form of the DNS page, as a person does. */
async function importZoneFile(text: string): Promise<void> {
  const { page } = await site.open({}, `http://127.0.0.1:${site.dnsPort}`);
  await page.goto("/");
  const file = { name: "shop.zone.txt", mimeType: "text/plain", buffer: Buffer.from(text) };
  await page.getByLabel("Zone file").setInputFiles(file);
  await page.getByRole("button", { name: "Import" }).click();
  await page.getByText("Imported records and overrides").waitFor();
}
