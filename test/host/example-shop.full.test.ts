import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../dev/layout.ts";
import { chromiumUnavailable } from "./support/browser.ts";
import { takePicture } from "./support/pictures/guide.ts";
import { type Service, startService } from "./support/pictures/local-service.ts";

/** The example shop of the local service, as its owner fills, opens and removes it. With PICTURES=1 it takes those of public/pictures/. */

const FOLDER = path.join(ROOT, "public/pictures");
const WINDOW = { width: 1200, height: 640 };
/** How long filling may take on a busy machine. */
const FILL = { timeout: 120_000 };

let service: Service;
let page: Page;

describe.skipIf(chromiumUnavailable() !== null)("the example shop on Home", () => {
  beforeAll(async () => {
    service = await startService();
    page = await service.open({ locale: "en-GB", timezoneId: "UTC", viewport: WINDOW, reducedMotion: "reduce" });
    await page.goto(service.local.sign_in_url);
    await page.getByRole("button", { name: "Sign in as" }).click();
    await page.waitForURL("**/app");
  }, 180_000);

  afterAll(async () => {
    await service?.stop();
  });

  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

  it("is filled by no page of another site, and by no caller without the secret of the service", async () => {
    const foreign = await page.request.post("/app/example", {
      headers: { Origin: "http://evil.example", "Sec-Fetch-Site": "cross-site" },
      form: { method: "POST" },
    });
    expect(foreign.status()).toBe(403);
    const withoutPage = await page.request.post("/app/example", {
      headers: { Origin: service.url, "Sec-Fetch-Site": "same-origin" },
      form: { method: "POST" },
    });
    expect(withoutPage.status()).toBe(409);
    expect((await fetch(`${service.url}/dev/example`, { method: "POST" })).status).toBe(403);
    await page.reload();
    await page.getByRole("button", { name: "Fill with an example shop" }).waitFor();
  });

  it("is filled by one button of an empty Home, which says what it does and then opens the shop", async () => {
    await press("Fill with an example shop");
    await page.getByRole("heading", { name: "Filling the example shop" }).waitFor();
    await page.getByRole("button", { name: "Open Lindqvist & Daughters" }).waitFor(FILL);
    await press("Open Lindqvist & Daughters");
    await page.getByRole("heading", { name: "The last 7 days" }).waitFor();
    await picture("dashboard-home", "/app");
    // Its picture has less than 120 KB.
    await page.setViewportSize({ ...WINDOW, height: 520 });
    await picture("emails", "/app/emails");
    await page.setViewportSize(WINDOW);
    await picture(
      "broadcast-results",
      "/app/broadcasts",
      "Autumn harvest",
      "Compare the variants, with confidence intervals",
    );
    expect(await page.locator("main").textContent()).toContain("By name (promoted)");
    await page.goto("/app/mailboxes");
    await page.getByRole("link", { name: "hello@lindqvist.test" }).click();
    await page.waitForURL("**/app/mailboxes/*-*");
    await picture("inbox", `/mail/${page.url().split("/").at(-1)}/INBOX`);
  }, 180_000);

  it("has a domain whose records the local DNS server has", async () => {
    await page.goto("/app/domains");
    await page.getByRole("link", { name: "lindqvist.test" }).click();
    await page.getByText("3 of 3 required records match").waitFor();
  });

  it("sent nothing to the mail systems of the local internet", async () => {
    const messages = await (await fetch(`${service.local.captured_mail_url}/messages`)).json();
    expect(messages).toEqual([]);
  });

  it("is removed by one button, and leaves the workspace of the owner as it was", async () => {
    await page.goto("/app");
    await press("Remove the example shop");
    await page.getByRole("button", { name: "Fill with an example shop" }).waitFor();
    const domains = await service.call<{ name: string }[]>("GET", "/v1/domains/");
    expect(domains.map(({ name }) => name)).toEqual([service.local.domain]);
  });

  /** Opens a page, follows links of it, and takes a picture of the window. */
  async function picture(name: string, to: string, ...links: string[]): Promise<void> {
    await page.goto(to);
    for (const link of links) {
      await page.getByRole("link", { name: link }).first().click();
      await page.waitForLoadState();
    }
    await takePicture(page, path.join(FOLDER, `${name}.png`));
  }
});

describe.skipIf(chromiumUnavailable() !== null)("npm start -- --example", () => {
  it("fills the shop, prints each step, and its sign-in link opens the shop", async () => {
    const filled = await startService("--example");
    try {
      expect(filled.output()).toContain("Sending the emails of day 14 of 14");
      expect(filled.output()).toContain("The example shop is filled: the workspace Lindqvist & Daughters.");
      expect(filled.output()).toContain("; opens Lindqvist & Daughters)");
      const home = await filled.open();
      await home.goto(filled.local.sign_in_url);
      await home.getByRole("button", { name: "Sign in as" }).click();
      await home.waitForURL("**/app");
      expect(await home.title()).toBe("Home · Lindqvist & Daughters");
      await home.goto(/Example shop +(\S+) \(hello@lindqvist\.test/.exec(filled.output())?.[1] ?? "");
      await home.getByText("Our order for December").waitFor();
    } finally {
      await filled.stop();
    }
  }, 240_000);
});
