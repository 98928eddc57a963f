import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../dev/layout.ts";
import { chromiumUnavailable } from "./support/browser.ts";
import { completeShop } from "./support/pictures/example-shop.ts";
import { takePicture } from "./support/pictures/guide.ts";
import { type Service, startService } from "./support/pictures/local-service.ts";
import { type Look, nextLooks, show } from "./support/screenshots.ts";

/** Pictures of pages of the example shop (`npm start -- --example`) for docs/pages/, which are taken with PICTURES=1. */

const FOLDER = path.join(ROOT, "docs/pages");
const MAX_BYTES = 2_000_000;

/** The pictures of docs/pages/: name of the page, width and colour scheme. */
const CHOSEN: readonly (readonly [page: string, width: number, colorScheme: Look["colorScheme"]])[] = [
  ["sign-in", 320, "light"],
  ["home", 1280, "light"],
  ["home", 320, "dark"],
  ["emails-bounced", 1280, "light"],
  ["emails", 320, "light"],
  ["email-bounced", 1280, "dark"],
  ["email-bounced", 320, "light"],
  ["broadcast-sent", 1280, "light"],
  ["broadcast-results", 1280, "light"],
  ["template", 1280, "light"],
  ["list", 320, "dark"],
  ["analytics", 1280, "light"],
  ["analytics", 320, "dark"],
  ["domain-verified", 1280, "light"],
  ["domain-broken", 320, "light"],
  ["transfers", 1280, "light"],
  ["webhook", 320, "dark"],
  ["team", 1280, "light"],
  ["mail-inbox", 1280, "light"],
  ["mail-inbox", 320, "dark"],
  ["mail-message", 1280, "dark"],
  ["mail-html", 320, "light"],
  ["mail-reply", 1280, "light"],
  ["docs-emails", 1280, "light"],
];
const nameOf = ([name, width, colorScheme]: (typeof CHOSEN)[number]) => `${name}-${width}-${colorScheme}.png`;

let service: Service;
let page: Page;

describe.skipIf(chromiumUnavailable() !== null)("the pages of the example shop", () => {
  beforeAll(async () => {
    service = await startService("--example");
    page = await service.open({ locale: "en-GB", timezoneId: "UTC" });
  }, 180_000);

  afterAll(async () => {
    await service?.stop();
  });

  it("open for its owner, whole in light and dark at 1280 and 320 px", async () => {
    await see("sign-in", "/auth/sign-in");
    await page.goto(new URL(service.local.sign_in_url).pathname);
    await page.getByRole("button", { name: "Sign in as" }).click();
    await page.waitForURL("**/app");
    for (const [name, to] of Object.entries(pathsOf(await completeShop(service, page)))) await see(name, to);
  }, 600_000);

  it("are in docs/pages/ in 24 pictures that its index shows, of at most 2 MB together", () => {
    const files = readdirSync(FOLDER).filter((name) => name !== "README.md");
    expect(files.sort()).toEqual(CHOSEN.map(nameOf).sort());
    const index = readFileSync(path.join(FOLDER, "README.md"), "utf8");
    expect(files.filter((name) => !index.includes(`](${name})`))).toEqual([]);
    expect(files.reduce((sum, name) => sum + statSync(path.join(FOLDER, name)).size, 0)).toBeLessThan(MAX_BYTES);
  });

  /** Opens a page, checks in each look that it is not wider than the window, and takes the pictures that are wanted. */
  async function see(name: string, to: string): Promise<void> {
    const response = await page.goto(to);
    expect(response?.status(), to).toBe(200);
    for (const look of nextLooks()) {
      await show(page, look);
      const [wide, window] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as number[];
      expect(wide, `${to} at ${look.width} px`).toBe(window);
      const chosen = CHOSEN.find(
        ([of, width, scheme]) => of === name && width === look.width && scheme === look.colorScheme,
      );
      if (chosen) await takePicture(page, path.join(FOLDER, nameOf(chosen)));
    }
  }
});

/** Returns the paths of the pages by their names. */
function pathsOf({ domains, inbox, ...shop }: Awaited<ReturnType<typeof completeShop>>) {
  const { box } = shop;
  return {
    home: "/app",
    emails: "/app/emails",
    "emails-bounced": "/app/emails?status=bounced",
    "email-bounced": `/app/emails/${shop.bounced}`,
    "broadcast-sent": `/app/broadcasts/${shop.broadcast}`,
    "broadcast-results": `/app/analytics/broadcasts/${shop.broadcast}`,
    template: `/app/templates/${shop.template}`,
    list: `/app/contacts/${shop.customers}`,
    analytics: "/app/analytics?period=7d",
    "domain-verified": `/app/domains/${domains.verified}`,
    "domain-broken": `/app/domains/${domains.broken}`,
    transfers: "/app/transfers",
    webhook: `/app/webhooks/${shop.hook}`,
    team: "/app/team",
    "mail-inbox": `/mail/${box}/INBOX`,
    "mail-message": `/mail/${box}/INBOX/${inbox.asked}`,
    "mail-html": `/mail/${box}/INBOX/${inbox.report}`,
    "mail-reply": `/mail/compose/${box}?reply=one&folder=INBOX&uid=${inbox.order}`,
    "docs-emails": "/docs/emails",
  };
}
