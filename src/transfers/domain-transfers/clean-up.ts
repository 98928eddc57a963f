import { cancelBroadcastsOfDomains } from "../../audience/broadcasts/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import { cancelScheduledOfDomains } from "../../sending/emails/index.ts";
import type { CleanUp } from "./outbox-rows.ts";

/** Steps of one run, of 500 emails each: a run ends within its lease. */
const MAX_STEPS = 50;

/**
 * Cancels the scheduled emails and the scheduled and sending broadcasts of domains that a workspace gave away
 * (docs/contract/transfers.md#completion). Only what was created until the completion: the workspace may get a domain back. Returns
 * whether it is finished. Safe to repeat.
 */
export async function cleanUp(
  ctx: Ctx,
  { workspace, domains, names, completedAt }: CleanUp["cleanUp"],
): Promise<boolean> {
  const mailCtx = await onShardOf(ctx, workspace);
  if (!mailCtx) return true;
  await cancelBroadcastsOfDomains(mailCtx, workspace, names, completedAt);
  for (let step = 0; step < MAX_STEPS; step++)
    if (await cancelScheduledOfDomains(mailCtx, workspace, domains, completedAt)) return true;
  return false;
}
