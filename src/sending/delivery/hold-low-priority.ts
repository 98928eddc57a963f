import type { MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
import { type Lease, releaseStatement } from "../../platform/outbox/index.ts";
import { syncDueAtStatement } from "../emails/index.ts";
import type { Claim } from "./claim.ts";
import { PAUSE_CHECK_MS } from "./rules.ts";

/**
 * Releases claimed rows of broadcasts that are paused, or whose workspace is: as whole rows, because a row for each email
 * would write every waiting email again. Returns the claim without them.
 */
export async function holdLowPriority(ctx: MailCtx, lease: Lease, claim: Claim): Promise<Claim> {
  const held = new Map<string, number>();
  const now = ctx.now();
  for (const { outboxId, kind, broadcast, sender } of claim.mails) {
    if (kind !== "bulk" || broadcast?.isCancelled) continue;
    if (sender.paused && !sender.restricted) held.set(outboxId, now + PAUSE_CHECK_MS);
    else if (broadcast?.isPaused) held.set(outboxId, now);
  }
  if (held.size === 0) return claim;
  for (const [dueAt, rows] of Map.groupBy(held, ([, at]) => at)) {
    const ids = rows.map(([id]) => id);
    await mailDb(ctx).batch([releaseStatement(ctx, lease, ids, dueAt), syncDueAtStatement(ctx, dueAt)]);
  }
  return {
    ...claim,
    rows: claim.rows.filter(({ id }) => !held.has(id)),
    mails: claim.mails.filter(({ outboxId }) => !held.has(outboxId)),
  };
}
