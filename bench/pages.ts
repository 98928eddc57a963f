/** Measures the pages of the top tasks: weight, CPU, and what a person on a slow telephone waits for. */
import { createContext } from "../src/platform/context.ts";
import { chromiumUnavailable, launchBrowser } from "../test/host/support/browser.ts";
import { type Bench, type Deployment, MASTER_KEYS } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { type Paint, paintOf } from "./pages/paint.ts";
import { fillTopPages, type TopPage } from "./pages/top-pages.ts";
import { cookieHeader, PAGE_BYTES, weigh } from "./pages/weight.ts";
import { median, type Row } from "./table.ts";

const VISITS = 7;
const WARM_UP = 20;
const REQUESTS = 200;
const PAINT_MS = 1_000;
const SHIFT = 0.02;

export async function measurePages({ deployment }: Bench): Promise<Row[]> {
  const { seed, host } = deployment;
  const ctx = createContext({ ...host.env, MASTER_KEYS } as Env, "bench");
  const { pages, cookies } = await fillTopPages({ url: host.url, ctx, seed });
  await deployment.readings();
  const [cpu, withoutPage] = [new Map<string, number>(), await cpuOf(deployment, "/app", {})];
  for (const { path } of pages) cpu.set(path, (await cpuOf(deployment, path, cookies)) - withoutPage);
  const paints = await measurePaints(deployment, pages, cookies);
  const rows: Row[] = [];
  for (const page of pages) {
    const { path, name, scriptBytes } = page;
    const weight = await weigh(host.url, path, cookies);
    const measured = { ...weight, cpu: cpu.get(path) ?? Number.NaN };
    rows.push(toRow(name, measured, scriptBytes, paints?.get(path) ?? null));
  }
  return rows;
}

/** Returns the CPU of workerd for a request in ms, that of the local D1 and mailbox included. */
async function cpuOf({ host }: Deployment, path: string, cookies: Record<string, string>): Promise<number> {
  const request = async () => {
    const headers = { Cookie: cookieHeader(cookies) };
    const response = await fetch(`${host.url}${path}`, { headers, redirect: "manual" });
    await response.arrayBuffer();
  };
  for (let n = 0; n < WARM_UP; n += 1) await request();
  const before = await cpuMs(host.workerdPid);
  for (let n = 0; n < REQUESTS; n += 1) await request();
  return ((await cpuMs(host.workerdPid)) - before) / REQUESTS;
}

/** Returns the medians of the paints of each page, by path; null without Chromium. */
async function measurePaints({ host }: Deployment, pages: readonly TopPage[], cookies: Record<string, string>) {
  if (chromiumUnavailable() !== null) return null;
  const browser = await launchBrowser();
  const medians = new Map<string, Paint>();
  for (const { path } of pages) {
    const paints: Paint[] = [];
    for (let n = 0; n < VISITS; n += 1) paints.push(await paintOf(browser, host.url, path, cookies));
    medians.set(path, { ms: median(paints.map(({ ms }) => ms)), shift: median(paints.map(({ shift }) => shift)) });
  }
  await browser.close();
  return medians;
}

interface Measured {
  page: number;
  script: number;
  cpu: number;
}

function toRow(name: string, { page, script, cpu }: Measured, scriptBytes: number, paint: Paint | null): Row {
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;
  const painted =
    paint === null ? "no Chromium" : `LCP ${(paint.ms / 1000).toFixed(2)} s, CLS ${paint.shift.toFixed(3)}`;
  const isLight = page <= PAGE_BYTES && script <= scriptBytes;
  return {
    what: `page, first visit: ${name}`,
    value: `${kilobytes(page)}, script ${kilobytes(script)}, ${painted}; CPU with the local D1 ${cpu.toFixed(1)} ms`,
    budget: `${PAGE_BYTES / 1000} KB, ${scriptBytes / 1000} KB, ${(PAINT_MS / 1000).toFixed(1)} s, ${SHIFT}`,
    isMet: isLight && (paint === null || (paint.ms <= PAINT_MS && paint.shift <= SHIFT)),
  };
}
