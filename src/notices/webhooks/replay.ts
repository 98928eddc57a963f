import type { CallerCtx } from "../../access/caller.ts";
import { guardedBatch } from "../../platform/db/batch.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { requireMailSpace } from "../../platform/jobs/shard-sizes.ts";
import { wakeWebhooks } from "../../platform/webhook-events/wake.ts";
import { addDeliveryStatements } from "./add-delivery.ts";
import { requirePublicUrl } from "./create.ts";
import { getDelivery } from "./delivery-queries.ts";
import { getWebhook } from "./queries.ts";
import { type DeliveryItemOut, toDeliveryItem } from "./schema.ts";

/** Sends the payload of a delivery again, as a new delivery, also to a paused webhook. Throws 404, and 422 when its URL is refused now. */
export async function replayDelivery(ctx: CallerCtx, webhookId: string, deliveryId: string): Promise<DeliveryItemOut> {
  requireMailSpace(ctx);
  const webhook = await getWebhook(ctx, webhookId);
  const { workspace, endpoint, email, eventType, payload } = await getDelivery(ctx, deliveryId, webhook.id);
  await requirePublicUrl(ctx, webhook.url);
  const delivery = { id: ctx.newId(), workspace, endpoint, webhookId: webhook.id, email, eventType, payload };
  const state = { status: "pending" as const, responseStatus: null, attempt: 0, dueAt: null, createdAt: ctx.now() };
  const response = toDeliveryItem({ ...delivery, ...state });
  await guardedBatch(ctx.mail, [
    ...addDeliveryStatements(ctx, { ...delivery, isForced: true }),
    ...(await storeMailResponse(ctx, response)),
  ]);
  await wakeWebhooks(ctx);
  return response;
}
