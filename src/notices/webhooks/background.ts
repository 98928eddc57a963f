import type { CallerCtx } from "../../access/caller.ts";
import type { Ctx } from "../../platform/context.ts";
import { BACKGROUND_MS, BACKGROUND_RUNS } from "./rules.ts";

/** May let work finish after its invocation has returned. */
export type Outlasting = Pick<CallerCtx, "waitUntil">;

/** The runs in the background of this isolate, by the times at which Cloudflare ends them, in milliseconds since 1970. */
const running = new Set<{ until: number }>();

/** Lets a run outlast its invocation. Returns false, and does nothing, when it cannot or as many runs of this isolate do so already. */
export function continueInBackground(ctx: Ctx & Outlasting, run: Promise<void>): boolean {
  const now = ctx.now();
  for (const entry of running) if (entry.until <= now) running.delete(entry);
  if (!ctx.waitUntil || running.size >= BACKGROUND_RUNS) return false;
  const entry = { until: now + BACKGROUND_MS };
  running.add(entry);
  ctx.waitUntil(run.finally(() => running.delete(entry)));
  return true;
}
