import { setTimeout as sleep } from "node:timers/promises";
import { HOST, type Layout } from "./layout.ts";

const MINUTE_MS = 60_000;
const ANSWER_MS = 50_000;

/** `wrangler dev` never fires a cron trigger by itself. This one does, each minute on the minute, until aborted. */
export async function tickEachMinute(layout: Layout, signal: AbortSignal) {
  while (!signal.aborted) {
    await sleep(MINUTE_MS - (Date.now() % MINUTE_MS), undefined, { signal }).catch(() => {});
    if (!signal.aborted) await fire(layout, "* * * * *").catch(() => {});
  }
}

/**
 * Tells the Worker that no process from before `launchedAt` is alive any more, so that it frees the
 * leases taken or renewed before that moment at once. Those taken since belong to the new process.
 */
export async function announceRestart(layout: Layout, launchedAt: number) {
  await fire(layout, "restart", launchedAt);
}

async function fire(layout: Layout, cron: string, time = Date.now()) {
  const query = new URLSearchParams({ cron, time: String(time) });
  const url = `http://${HOST}:${layout.ports.api}/cdn-cgi/handler/scheduled?${query}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The scheduled handler answered ${response.status} to "${cron}".`);
}
