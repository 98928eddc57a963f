/** How soon a page is painted on a slow telephone: 150 ms of latency, 1.6 Mbit/s, a quarter of this machine's CPU. */
import type { Browser } from "playwright-core";

export interface Paint {
  /** Largest contentful paint in ms from the request. */
  ms: number;
  /** Cumulative layout shift. */
  shift: number;
}

const NETWORK = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const CPU_RATE = 4;

/** Collects the entries of the page, which the script of the page cannot see. */
const OBSERVE = `
  globalThis.painted = { ms: 0, shift: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) painted.ms = startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) painted.shift += value;
  }).observe({ type: "layout-shift", buffered: true });`;

/** Visits a page without a cache and returns its paint, when nothing was loaded for half a second. */
export async function paintOf(
  browser: Browser,
  url: string,
  path: string,
  cookies: Record<string, string>,
): Promise<Paint> {
  const viewport = { width: 412, height: 823 };
  const context = await browser.newContext({ baseURL: url, viewport, deviceScaleFactor: 2 });
  const options = { url, httpOnly: true, sameSite: "Strict" as const };
  await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, ...options })));
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.emulateNetworkConditions", NETWORK);
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_RATE });
  await page.addInitScript(OBSERVE);
  await page.goto(path, { waitUntil: "networkidle" });
  // The browser reports a paint some time after it.
  await page.waitForFunction("globalThis.painted.ms > 0");
  const paint = (await page.evaluate("globalThis.painted")) as Paint;
  await context.close();
  return paint;
}
