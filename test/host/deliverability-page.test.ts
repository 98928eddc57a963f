import { describe, expect, it } from "vitest";
import { writeMonth } from "../support/month-of-mail.ts";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** Troubles of a month, found from the page of the domain, in Chromium. */

const site = perSuite(() => openSite("troubled.test"));

describe.skipIf(chromiumUnavailable() !== null)(
  "a listing, a broken DKIM key and a peak of complaints in a month",
  () => {
    it.each([
      [1280, 720],
      [390, 844],
    ])("are the first that the page says, one click from the domain, at %i pixels", async (width, height) => {
      if (width === 1280) await writeMonth(site.mailDb, { ...site.workspace, domain: "troubled.test" }, site.ctx.now());
      const { page, context, problems } = await site.open({ viewport: { width, height } });
      await context.addCookies(await site.signIn());
      await page.goto(`/app/domains/${site.workspace.domainId}`);
      await page.getByRole("link", { name: "Deliverability" }).click();
      const cards = page.locator("section.card h2");
      await expect.poll(() => cards.allTextContents()).toHaveLength(3);
      const [listing, complaints, dkim] = await cards.allTextContents();
      expect(listing).toMatch(/^Outlook blocks your mail: 98 of its newest replies/);
      expect(complaints).toMatch(/^Complaints at Yahoo and AOL were 2.1 %/);
      expect(dkim).toMatch(/^DKIM did not pass for 100 %/);
      await page.locator("section.card summary").first().click();
      await expect.poll(() => page.getByText("our block list (S3150)").first().isVisible()).toBe(true);
      if (process.env.PAGE_PICTURES)
        await page.screenshot({ path: `${process.env.PAGE_PICTURES}/whole-${width}.png`, fullPage: true });
      expect([await findIssues(page), problems]).toEqual([[], []]);
    });
  },
);
