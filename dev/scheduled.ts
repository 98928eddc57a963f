import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HOST, type Layout, ROOT } from "./layout.ts";

const MINUTE_MS = 60_000;
const RESTART_MS = 5_000;

/** `wrangler dev` never fires a cron trigger by itself. This one does, each minute on the minute, until aborted. */
export async function tickEachMinute(layout: Layout, signal: AbortSignal) {
  const { unstable_readConfig: readConfig } = await import("wrangler");
  const crons = readConfig({ config: path.join(ROOT, "wrangler.toml") }).triggers.crons ?? [];
  while (!signal.aborted) {
    await sleep(MINUTE_MS - (Date.now() % MINUTE_MS), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const now = new Date();
    // Not awaited: a long run must not cost the next minute its turn.
    for (const cron of crons) if (isDue(cron, now)) void fire(layout, cron, now.getTime()).catch(() => {});
  }
}

/**
 * Tells the Worker that no process from before `launchedAt` is alive any more, so that it frees the
 * leases taken or renewed before that moment at once. Those taken since belong to the new process.
 * It then works off what is due, which may take long and keeps nobody waiting.
 */
export async function announceRestart(layout: Layout, launchedAt: number) {
  await Promise.race([fire(layout, "restart", launchedAt), sleep(RESTART_MS)]);
}

/** True when a schedule, its fields each a star, a number or a step, is due in this minute (UTC, as on Cloudflare). */
export function isDue(cron: string, at: Date): boolean {
  const now = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()];
  return cron.split(" ").every((field, index) => {
    const value = now[index] ?? 0;
    if (field === "*") return true;
    return field.startsWith("*/") ? value % Number(field.slice(2)) === 0 : value === Number(field);
  });
}

async function fire(layout: Layout, cron: string, time: number) {
  const query = new URLSearchParams({ cron, time: String(time) });
  const response = await fetch(`http://${HOST}:${layout.ports.api}/cdn-cgi/handler/scheduled?${query}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The scheduled handler answered ${response.status} to "${cron}".`);
}
