import type { CallerCtx } from "../context.ts";
import { requireSendingAllowed } from "../emails/index.ts";
import { conflict, unprocessable } from "../errors.ts";
import { changeBroadcast, insertTaskStatement, requireTransition } from "./change.ts";
import { findSender } from "./check-start.ts";
import type { FanOut } from "./fan-out.ts";
import type { BroadcastOut } from "./schema.ts";
import { getVariant } from "./variants/queries.ts";

/**
 * Sends the winning variant of a sampled A/B test to the contacts outside the sample, once (specification: Broadcast
 * statuses). Throws 403 when the account or workspace may not send, 404 for the broadcast or the variant, 409 when it is
 * not a sampled test, was promoted, or is not sent yet, 422 when its sender may not send any more.
 */
export async function promoteVariant(ctx: CallerCtx, id: string, variantId: string): Promise<BroadcastOut> {
  requireSendingAllowed(ctx);
  const now = ctx.now();
  let rowId = "";
  const response = await changeBroadcast(ctx, id, async (broadcast) => {
    const { row, fanOut } = broadcast;
    const variant = await getVariant(ctx, broadcast, variantId);
    if (row.ab_promoted_at !== null) throw conflict("A variant of this broadcast was promoted already");
    const isTest = fanOut === null ? row.ab_test_pct !== null : fanOut.split === null || fanOut.split.isSample;
    if (!isTest) throw conflict("This broadcast is not a sampled A/B test");
    const status = requireTransition(broadcast, "promote");
    if (fanOut === null) throw conflict("This broadcast was not sent yet");
    const sender = await findSender(ctx, row, ctx.actor.domainIds);
    if ("fault" in sender) throw unprocessable([sender.fault]);
    const next: FanOut = {
      ...fanOut,
      sender,
      wave: { kind: "remainder", variant: variant.n },
      cursor: null,
      isComplete: false,
    };
    rowId = row.id;
    return {
      changes: {
        status,
        ab_winner_variant_id: variant.id,
        ab_promoted_at: now,
        fan_out: JSON.stringify(next),
        fan_out_step: row.fan_out_step + 1,
      },
      statements: [insertTaskStatement(ctx, row, now)],
    };
  });
  await ctx.wake([{ dueAt: now, id: rowId, kind: "broadcast" }]);
  return response;
}
