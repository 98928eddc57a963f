import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readOffset } from "./clock/offset.ts";
import { HOST, type Layout, ROOT } from "./layout.ts";

const MINUTE_MS = 60_000;
const RESTART_MS = 5_000;

/** Runs the cron triggers of wrangler.toml, each minute, until `signal` aborts: `wrangler dev` does not run them. */
export async function runCronsEachMinute(layout: Layout, signal: AbortSignal) {
  const crons = await readCrons();
  while (!signal.aborted) {
    await sleep(MINUTE_MS - (Date.now() % MINUTE_MS), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const now = new Date(Date.now() + (await readOffset(layout)));
    // Not awaited, so that a run longer than a minute does not delay the next one.
    for (const cron of crons) if (isDue(cron, now)) void runScheduled(layout, cron, now.getTime()).catch(() => {});
  }
}

/** Runs every cron trigger once, at a time in ms since 1970: for the hours and days that a moved clock has left out. */
export async function runEachCron(layout: Layout, time: number) {
  for (const cron of await readCrons()) await runScheduled(layout, cron, time).catch(() => {});
}

async function readCrons(): Promise<string[]> {
  const { unstable_readConfig: readConfig } = await import("wrangler");
  return readConfig({ config: path.join(ROOT, "wrangler.toml") }).triggers.crons ?? [];
}

/**
 * Runs the Worker's "restart" handler, which releases leases taken or renewed before `launchedAt` (milliseconds since
 * 1970), because no older process is alive. The handler then processes due outbox rows; this waits at most 5 s for it.
 */
export async function announceRestart(layout: Layout, launchedAt: number) {
  await Promise.race([runScheduled(layout, "restart", launchedAt), sleep(RESTART_MS)]);
}

/** Returns true if a cron expression is due in this minute (UTC). Supports `*`, a number and a step in each field. */
function isDue(cron: string, at: Date): boolean {
  const now = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()];
  return cron.split(" ").every((field, index) => {
    const value = now[index] ?? 0;
    if (field === "*") return true;
    return field.startsWith("*/") ? value % Number(field.slice(2)) === 0 : value === Number(field);
  });
}

async function runScheduled(layout: Layout, cron: string, time: number) {
  const query = new URLSearchParams({ cron, time: String(time) });
  const response = await fetch(`http://${HOST}:${layout.ports.api}/cdn-cgi/handler/scheduled?${query}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The scheduled handler responded with ${response.status} for the cron "${cron}".`);
}
