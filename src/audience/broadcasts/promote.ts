import type { CallerCtx } from "../../access/caller.ts";
import { conflict, notFound, unprocessable } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { requireTransition, startFanOut } from "./change.ts";
import { checkPromotion } from "./check-start.ts";
import { type FanOut, remainderSize, serializeFanOut, toRemainder } from "./fan-out.ts";
import { type Broadcast, getBroadcast } from "./queries.ts";
import type { BroadcastStatus } from "./rules.ts";
import type { BroadcastOut } from "./schema.ts";
import { findVariants, findVariantsOf, type VariantRow } from "./variants/queries.ts";

/**
 * Sends the winning variant of a sampled A/B test to the contacts outside the sample, once
 * (docs/contract/broadcasts.md#sample-and-variants). Throws 403 when the account or workspace may not send, 404 for the
 * broadcast or the variant, 409 when it is not a sampled test, was promoted, or is not sent yet, 422 when its sender may not
 * send any more or its list was deleted.
 */
export function promoteVariant(ctx: CallerCtx, id: string, variantId: string): Promise<BroadcastOut> {
  return startFanOut(ctx, id, async (broadcast) => {
    const variants = await findVariants(ctx, broadcast.row.n);
    const variant = withId(variants, variantId);
    const { status, fanOut } = requirePromotable(broadcast);
    const sender = await checkPromotion(ctx, { row: broadcast.row, fanOut }, ctx.actor.domainIds);
    if ("error" in sender) throw unprocessable([sender.error]);
    const next = toRemainder({ ...broadcast, fanOut }, { variant: variant.n, variants, sender });
    return { status, ab_winner_variant_id: variant.id, ab_promoted_at: ctx.now(), fan_out: serializeFanOut(next) };
  });
}

/** Returns the fan-out and the next status of a promotion. Throws 409 unless it is a sampled test that was sent and not promoted. */
function requirePromotable(broadcast: Broadcast): { status: BroadcastStatus; fanOut: FanOut } {
  const { row, fanOut } = broadcast;
  if (row.ab_promoted_at !== null) throw conflict("A variant of this broadcast was promoted already");
  const isTest = fanOut === null ? row.ab_test_pct !== null : fanOut.split === null || fanOut.split.isSample;
  if (!isTest) throw conflict("This broadcast is not a sampled A/B test");
  const status = requireTransition(broadcast, "promote");
  if (fanOut === null) throw conflict("This broadcast was not sent yet");
  return { status, fanOut };
}

function withId(variants: readonly VariantRow[], id: string): VariantRow {
  const uuid = parseUuid(id);
  const variant = variants.find((each) => each.id === uuid);
  if (!variant) throw notFound("Variant");
  return variant;
}

/** The effect of promoting a variant. */
interface Promotion {
  broadcast: Broadcast;
  variant: VariantRow;
  /** Contacts that wait for the winner, as the audience of the broadcast counts them (GET /v1/broadcasts/{id}/audience). */
  remainder: number;
  /** Contacts of the sample. */
  sample: number;
}

/** Returns what a promotion would do now, for the page that asks. Throws 404, and 409 as the promotion does. */
export async function planPromotion(ctx: CallerCtx, id: string, variantId: string): Promise<Promotion> {
  const [broadcast, variants] = await Promise.all([getBroadcast(ctx, id), findVariantsOf(ctx, id)]);
  const variant = withId(variants, variantId);
  const { fanOut } = requirePromotable(broadcast);
  const remainder = remainderSize(fanOut);
  return { broadcast, variant, remainder, sample: (fanOut.split?.eligible ?? 0) - remainder };
}
