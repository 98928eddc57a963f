import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { launchBrowser } from "./support/browser.ts";
import { launchOptions, PACKAGED_CHROMIUM } from "./support/packaged-chromium.ts";

const folder = process.env[PACKAGED_CHROMIUM];

/** The libraries that every system has that runs Node. */
const SYSTEM = /^(?:linux-vdso|ld-linux-x86-64|lib(?:c|dl|m|pthread|gcc_s))\.so/;

describe.skipIf(folder === undefined)("the Chromium of the packages", () => {
  it("needs no library of the system but those of Node, so that a fresh machine tests the pages", () => {
    const { executablePath, env } = launchOptions(folder ?? "");
    const environment = { ...process.env, ...env };
    const lines = execFileSync("ldd", [executablePath], { env: environment, encoding: "utf8" }).trim().split("\n");
    const ofSystem = lines.map((line) => line.trim()).filter((line) => !line.includes(`=> ${folder}/lib/`));
    expect(lines.length).toBeGreaterThan(ofSystem.length);
    expect(ofSystem.filter((line) => !SYSTEM.test(line.replace(/^.*\/(?=ld-)/, "")))).toEqual([]);
  });

  it("shows a page", async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    await page.setContent("<title>A page</title><p style='display: inline'>A text</p>");
    expect(await page.title()).toBe("A page");
    expect((await page.locator("p").boundingBox())?.width).toBeGreaterThan(10);
    await browser.close();
  });
});
