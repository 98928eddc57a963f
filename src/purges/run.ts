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
import { purgeKeys, purgeObjects } from "./objects.ts";
import type { Purge } from "./purge-statement.ts";
import { purgeWorkspace } from "./workspace.ts";

/** A run starts no further step after this: well below the lease, so that no other run takes the row meanwhile. */
const RUN_MS = 60_000;

/**
 * Takes away what deleted records left behind. Every step may be repeated, so the claim only keeps two runs from
 * doing the same work; what is not done in time is given back and woken again. Throws when a step failed: the
 * lease then ends by itself and the next sweep finds the row.
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
  const isDone = await takeAway(ctx, JSON.parse(row.ref) as Purge, until);
  const settle = isDone ? finishStatement : releaseStatement;
  await mailDb(ctx).batch([settle(ctx, lease, [row.id])]);
}

/** False: there is more to take. */
async function takeAway(ctx: Ctx, purge: Purge, until: number): Promise<boolean> {
  do {
    if (await step(ctx, purge)) return true;
  } while (ctx.now() < until);
  return false;
}

function step(ctx: Ctx, purge: Purge): Promise<boolean> {
  if ("objects" in purge) return purgeObjects(ctx, purge.objects);
  return "keys" in purge ? purgeKeys(ctx, purge.keys) : purgeWorkspace(ctx, purge);
}
