import { randomBytes } from "node:crypto";
import type { Browser, Cookie } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Host, startHost } from "../../bench/host/in-process.ts";
import { signAccessToken } from "../../src/sessions/index.ts";
import { readSettings } from "../../src/settings.ts";
import { chromiumUnavailable, findFaults, launchBrowser, openPage } from "./support/browser.ts";

const EMAIL = "ada@example.test";
const MASTER_KEYS = `1:${randomBytes(32).toString("base64")}`;
const PUBLIC_URL = "http://127.0.0.1:8787";

let host: Host;
let browser: Browser;
let firstLink: string;
let cookies: Cookie[] = [];

/** Creates the first account as `npm run bootstrap` does. Returns the path of its sign-in link. */
async function bootstrap(): Promise<string> {
  const settings = readSettings({ MASTER_KEYS, PUBLIC_URL });
  const claims = { sub: EMAIL, sid: "test", wid: "test" };
  const { token } = await signAccessToken({ settings, now: Date.now }, "bootstrap", claims);
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${host.url}/auth/bootstrap`, { method: "POST", headers });
  const { sign_in_url } = (await response.json()) as { sign_in_url: string };
  return new URL(sign_in_url).pathname;
}

describe.skipIf(chromiumUnavailable() !== null)("pages in Chromium", () => {
  beforeAll(async () => {
    host = await startHost("src/index.ts", { MASTER_KEYS, PUBLIC_URL, SIGN_UP: "open", GITHUB_CLIENT_ID: "client" });
    firstLink = await bootstrap();
    browser = await launchBrowser();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await host?.stop();
  });

  const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
    [1280, 320].map((width) => ({ colorScheme, viewport: { width, height: 800 } })),
  );

  it("have no accessibility fault, console error, foreign request or sideways scroll, in any look", async () => {
    for (const look of looks) {
      const { context, page, problems } = await openPage(browser, host.url, look);
      const name = `${look.colorScheme} ${look.viewport.width}`;
      const check = async (what: string, title: string) => {
        expect(await page.title(), `${name} ${what}`).toBe(title);
        expect(await findFaults(page), `${name} ${what}`).toEqual([]);
        expect(problems, `${name} ${what}`).toEqual([]);
      };
      await page.goto("/auth/sign-in");
      await check("sign-in", "Sign in");
      await page.fill("[name=email]", "a@b");
      await page.click("button[type=submit]");
      await check("invalid form", "Sign in");
      await page.goto("/auth/magic-link/unknown");
      await check("invalid link", "This link does not work");
      await page.goto("/u/unknown");
      await check("unsubscribe", "Unsubscribe?");
      await page.goto(firstLink);
      await check("sign-in link", "Sign in");
      await context.addCookies([{ name: "second_factor", value: "unknown", url: `${host.url}/auth`, secure: true }]);
      await page.goto("/auth/totp");
      await check("second factor", "Two-factor authentication");
      await page.goto("/app");
      await check("sign-in before the dashboard", "Sign in");
      expect(page.url()).toContain("/auth/sign-in?next=%2Fapp");
      await context.close();
    }
  });

  it("lead from a link to the dashboard without JavaScript, by keyboard", async () => {
    const { page, context } = await openPage(browser, host.url, { javaScriptEnabled: false });
    await page.goto(firstLink);
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Skip to content");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/app");
    expect(await page.locator("main").textContent()).toContain(EMAIL);
    cookies = await context.cookies();
    expect(cookies.map(({ name }) => name).sort()).toEqual(["refresh", "session"]);
    for (const { httpOnly, secure, sameSite } of cookies)
      expect({ httpOnly, secure, sameSite }).toEqual({ httpOnly: true, secure: true, sameSite: "Strict" });
    await context.close();
  });

  it("of a signed-in user have no fault in any look", async () => {
    for (const look of looks) {
      const { context, page, problems } = await openPage(browser, host.url, look);
      await context.addCookies(cookies);
      await page.goto("/app");
      expect(await page.title()).toBe("Home");
      expect(await findFaults(page), `${look.colorScheme} ${look.viewport.width}`).toEqual([]);
      expect(problems).toEqual([]);
      await context.close();
    }
  });

  it("sign out without JavaScript", async () => {
    const { page, context } = await openPage(browser, host.url, { javaScriptEnabled: false });
    await context.addCookies(cookies);
    await page.goto("/app");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/auth/sign-in");
    expect(await context.cookies()).toEqual([]);
    await page.goto("/app");
    expect(page.url()).toContain("/auth/sign-in?next=%2Fapp");
    await context.close();
  });

  it("cannot be shown in a frame of another page", async () => {
    const { page, context } = await openPage(browser, host.url);
    const refusal = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.setContent(`<iframe src="${host.url}/auth/sign-in"></iframe>`);
    await refusal;
    const frame = page.frames().at(-1);
    expect(await frame?.locator("form").count()).toBe(0);
    await context.close();
  });
});
