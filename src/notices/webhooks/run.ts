import type { MailCtx } from "../../platform/context.ts";
import { HalvedPages } from "../../platform/outbox/halves.ts";
import { wakeWebhooks } from "../../platform/webhook-events/wake.ts";
import { continueInBackground, type Outlasting } from "./background.ts";
import { type ClaimedEndpoint, claimEndpoints, findTargets, postponeEndpoint } from "./claim.ts";
import { BACKGROUND_START_MS, CLAIM_ENDPOINTS, HAND_OVER_MS, IN_FLIGHT, RUN_CLAIMS, RUN_MS } from "./rules.ts";
import { sendToEndpoint, type Turn } from "./send-to-endpoint.ts";
import { Slots } from "./slots.ts";

/**
 * Sends the due deliveries of a mail database, at most IN_FLIGHT at once, until none is due or the run has made enough
 * claims; a queue message then starts the next run. Slow requests continue in the background, so that the consumer is free for
 * the other endpoints. An outcome that is not written is sent again with the same id. Returns whether requests are in flight.
 */
export async function runWebhooks(ctx: MailCtx & Outlasting): Promise<boolean> {
  const end = ctx.now() + RUN_MS;
  const pages = new HalvedPages(CLAIM_ENDPOINTS);
  for (let claims = 0; claims < RUN_CLAIMS && ctx.now() < end; claims++) {
    const { size } = pages;
    const claimed = await claimEndpoints(ctx, size).catch(async (error: unknown) => {
      ctx.log("webhooks.claim_failed", { shard: ctx.shard, endpoints: size, error: String(error) });
      if (pages.isAlone(error)) await postponeEndpoint(ctx);
      return null;
    });
    if (claimed === null) continue;
    const { lease, endpoints } = claimed;
    if (endpoints.length === 0) return false;
    const slots = new Slots(IN_FLIGHT);
    const turn: Turn = { lease, slots, startUntil: lease.until, isInBackground: false, hasDue: false };
    const sending = sendToAll(ctx, turn, endpoints);
    // With fewer than it may have, this claim had all that are due; each that becomes due has a queue message of its own.
    const isAll = endpoints.length < size;
    if (await handsOver(ctx, turn, sending, endpoints)) {
      if (!isAll || turn.hasDue) await wakeWebhooks(ctx);
      return true;
    }
    await sending;
    if (isAll && !turn.hasDue) return false;
  }
  await wakeWebhooks(ctx);
  return false;
}

async function sendToAll(ctx: MailCtx, turn: Turn, endpoints: readonly ClaimedEndpoint[]): Promise<void> {
  const ids = endpoints.map(({ id }) => id);
  const targets = await findTargets(ctx, ids);
  const results = await Promise.allSettled(
    endpoints.map((endpoint) => sendToEndpoint(ctx, turn, endpoint, targets.get(endpoint.id))),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Waits shortly for claimed deliveries, unless all endpoints fail. Then lets them continue in the background. Returns whether it did. */
async function handsOver(
  ctx: MailCtx & Outlasting,
  turn: Turn,
  sending: Promise<void>,
  endpoints: readonly ClaimedEndpoint[],
): Promise<boolean> {
  if (!ctx.waitUntil) return false;
  const wait = endpoints.every(({ failingSince }) => failingSince !== null) ? 0 : HAND_OVER_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), wait);
  });
  const isSlow = await Promise.race([sending.then(() => false), later]).finally(() => clearTimeout(timer));
  if (!isSlow) return false;
  const rest = sending.catch((error) => ctx.log("webhooks.failed", { shard: ctx.shard, error: String(error) }));
  if (!continueInBackground(ctx, rest)) return false;
  turn.isInBackground = true;
  turn.startUntil = ctx.now() + BACKGROUND_START_MS;
  return true;
}
