import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import type { WakeUp } from "../outbox/index.ts";
import {
  CLAIM_ROWS,
  type ClaimedRow,
  claimStatement,
  finishStatement,
  newLease,
  releaseStatement,
} from "../outbox/index.ts";
import { deleteKeys, deleteObjects } from "./objects.ts";
import type { Purge } from "./purge-statement.ts";
import { purgeWorkspace } from "./workspace.ts";

/** A run starts no further step after this many milliseconds: half a lease, so that no other run claims the row meanwhile. */
const RUN_MS = 60_000;

/**
 * Deletes the data of deleted records. Every step may be repeated, so the claim only avoids double work. A purge that is
 * not finished in time is released and continues after the next sweep. Throws when a step failed: the lease then
 * expires and the next sweep finds the row.
 */
export async function purge(ctx: Ctx, wakeUps: readonly WakeUp[]): Promise<void> {
  const until = ctx.now() + RUN_MS;
  for (const wakeUp of wakeUps.slice(0, CLAIM_ROWS)) {
    if (ctx.now() < until) await purgeOne(ctx, wakeUp, until);
  }
}

async function purgeOne(ctx: Ctx, wakeUp: WakeUp, until: number): Promise<void> {
  const lease = newLease(ctx);
  const { results } = await claimStatement(ctx, [wakeUp], lease).all<ClaimedRow>();
  const [row] = results;
  if (!row) return;
  const isDone = await runPurge(ctx, JSON.parse(row.ref) as Purge, until);
  const finishOrRelease = isDone ? finishStatement : releaseStatement;
  await mailDb(ctx).batch([finishOrRelease(ctx, lease, [row.id])]);
}

/** Runs steps until the purge is finished (true) or the time is over (false). */
async function runPurge(ctx: Ctx, purge: Purge, until: number): Promise<boolean> {
  do {
    if (await runStep(ctx, purge)) return true;
  } while (ctx.now() < until);
  return false;
}

function runStep(ctx: Ctx, purge: Purge): Promise<boolean> {
  if ("objects" in purge) return deleteObjects(ctx, purge.objects);
  return "keys" in purge ? deleteKeys(ctx, purge.keys) : purgeWorkspace(ctx, purge);
}
