import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { type WorkspaceStep, workspaceSteps } from "../../platform/jobs/workspace-steps.ts";
import { rateNotices } from "./alert.ts";
import { copyPauses } from "./copy-pauses.ts";
import { type LastHour, readLastHour, readSince, saveSnapshot } from "./last-hour.ts";
import { pauseOf, SNAPSHOT_KEPT_MS } from "./rules.ts";
import { stopWorkspace } from "./stop.ts";

const FIND_WORKSPACES = `
  SELECT number, id, bulk_pause AS pause, bulk_resumed_at AS resumedAt FROM workspaces
   WHERE number IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL`;

interface WorkspaceRow {
  number: number;
  id: string;
  pause: number;
  resumedAt: number | null;
}

/**
 * Compares bounces and complaints of the last 60 minutes with the limits, for each workspace of a mail database: its owners are
 * told once a day for each rate, and it stops itself where it is far above. Cron runs it every five minutes. Safe to interrupt and
 * to repeat: a notice has a key, and a stop is a compare-and-set.
 */
export async function* checkRates(ctx: MailCtx): Steps {
  yield* copyPauses(ctx);
  const now = ctx.now();
  for (const step of await workspaceSteps(ctx)) {
    const lastHour = await readLastHour(ctx, step, now);
    for (const suspect of await findSuspects(ctx, lastHour, now)) {
      await applyRates(ctx, step, lastHour, { ...suspect, now });
      yield;
    }
    await saveSnapshot(ctx, step, lastHour, now);
    yield;
  }
  await ctx.mail
    .prepare("DELETE FROM rate_snapshots WHERE at < ?1")
    .bind(now - SNAPSHOT_KEPT_MS)
    .run();
}

/** Returns the workspaces with a rate above a limit. */
async function findSuspects(ctx: MailCtx, { counts }: LastHour, now: number): Promise<WorkspaceRow[]> {
  const { bulkPause: limits } = ctx.settings;
  const numbers = [...counts].flatMap(([number, of]) =>
    pauseOf(of, limits) > 0 || rateNotices(of, now).length > 0 ? [number] : [],
  );
  if (numbers.length === 0) return [];
  const { results } = await ctx.db.prepare(FIND_WORKSPACES).bind(JSON.stringify(numbers)).all<WorkspaceRow>();
  return results;
}

/** Notifies the owners of a workspace of its rates and stops it, as far as its counts say. */
async function applyRates(
  ctx: MailCtx,
  step: WorkspaceStep,
  lastHour: LastHour,
  { number, id, pause: current, resumedAt, now }: WorkspaceRow & { now: number },
): Promise<void> {
  const counts = lastHour.counts.get(number);
  if (!counts) return;
  const notices = rateNotices(counts, now);
  if (notices.length > 0) await ctx.db.batch(notices.flatMap((notice) => notifyOwnersStatements(ctx, number, notice)));
  const isResumed = resumedAt !== null && resumedAt > lastHour.since;
  const counted = isResumed
    ? await readSince(ctx, step, lastHour, { workspace: number, at: resumedAt, now })
    : { counts, since: lastHour.since };
  if (counted === null) return;
  const pause = pauseOf(counted.counts, ctx.settings.bulkPause);
  if (pause > current) await stopWorkspace(ctx, { number, id, ...counted }, pause);
}
