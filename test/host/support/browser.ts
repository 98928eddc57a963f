/** Chromium for tests of pages, driven by playwright-core, with axe-core for accessibility. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { launchOptions, PACKAGED_CHROMIUM } from "./packaged-chromium.ts";
import { nextLooks, show } from "./screenshots.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const packaged = process.env[PACKAGED_CHROMIUM];
const chromiumPath = PLACES.find((place) => existsSync(place));

/** Returns why Chromium is not available, or null. With REQUIRE_TOOLS=1 it throws instead. */
export function chromiumUnavailable(): string | null {
  if (packaged !== undefined || chromiumPath !== undefined) return null;
  const reason = `the package @sparticuz/chromium is not installed, and Chromium is not at ${PLACES.join(" or ")}; on Debian: apt-get install chromium`;
  if (process.env.REQUIRE_TOOLS === "1") throw new Error(`REQUIRE_TOOLS: ${reason}`);
  console.warn(`SKIPPED, ${reason}: the pages were not tested in a browser`);
  return reason;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Fewer processes, which take a tenth less CPU: without a GPU, and one renderer for all pages, which are of one site. */
const FEWER_PROCESSES = ["--disable-gpu", "--disable-site-isolation-trials", "--renderer-process-limit=1"];

/** Names that tests open are on this machine. */
const LOCAL_NAMES = "--host-resolver-rules=MAP *.test 127.0.0.1";

let shared: Promise<Browser> | null = null;

/** Returns the Chromium of this process, which runs until the process ends. It is started again after a crash. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared;
  if (running?.isConnected()) return running;
  shared = launchBrowser([LOCAL_NAMES]);
  return shared;
}

/** Starts of Chromium that a test tries: it sometimes crashes before its first page. */
const STARTS = 3;

/** Starts Chromium, again when it crashes as it starts. `further`: arguments beside the usual ones. */
export async function launchBrowser(further: readonly string[] = [], starts: number = STARTS): Promise<Browser> {
  const options = packaged === undefined ? { executablePath: chromiumPath ?? "" } : launchOptions(packaged);
  const args = ["--no-sandbox", "--disable-dev-shm-usage", ...FEWER_PROCESSES, ...further];
  try {
    return await chromium.launch({ ...options, args });
  } catch (error) {
    if (starts <= 1) throw error;
    console.warn(`Chromium did not start, and is started again: ${error}`);
    return launchBrowser(further, starts - 1);
  }
}

/** Opens a page and records its problems: console errors, refused resources, and requests to other hosts. */
export async function openPage(browser: Browser, baseURL: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ baseURL, ...options });
  const page = await context.newPage();
  return { context, page, problems: recordProblems(page, baseURL) };
}

/** Returns a list that gets the problems of a page as they occur: console errors, refused resources, and requests to other hosts. */
export function recordProblems(page: Page, baseURL: string): string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    // Chromium logs the status of a page that responds with 4xx on purpose.
    if (message.type() === "error" && !message.text().includes("the server responded with a status of 4"))
      problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL)) problems.push(`request to ${request.url()}`);
  });
  return problems;
}

/** Height of the window for axe, in CSS pixels: it scrolls to what is outside, which takes several times the CPU on a narrow page. */
const WHOLE_PAGE = 4_000;

/** Returns what axe finds on a page, light or dark, at 1280 or 320 px, and where the page is wider than its window. */
export async function findIssues(page: Page): Promise<string[]> {
  const size = page.viewportSize();
  const issues: string[] = [];
  for (const look of nextLooks()) {
    await show(page, look, WHOLE_PAGE);
    const found = await findViolations(page);
    const widths = "[document.documentElement.scrollWidth, innerWidth]";
    const [wide, window] = (await page.evaluate(widths)) as [number, number];
    if (wide > window) found.push(`the page is ${wide} px wide`);
    issues.push(...found.map((issue) => `${look.colorScheme} ${look.width}: ${issue}`));
  }
  if (size) await page.setViewportSize(size);
  return issues;
}

/** Returns what axe finds on a page as it is shown. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}
