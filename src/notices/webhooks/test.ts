import type { CallerCtx } from "../../access/caller.ts";
import { iso } from "../../lib/time.ts";
import { guardedBatch } from "../../platform/db/batch.ts";
import { mailDb } from "../../platform/db/client.ts";
import { storeMailResponse } from "../../platform/idempotency/index.ts";
import { wakeWebhooks } from "../../platform/webhook-events/index.ts";
import { addDeliveryStatements } from "./add-delivery.ts";
import { requirePublicUrl } from "./check-url.ts";
import { getWebhook } from "./queries.ts";
import type { TestOut } from "./schema.ts";

/**
 * Queues the delivery of a sample `email.delivered` to a webhook, also to a paused one and whatever its events. Throws 404,
 * and 422 when its URL is refused now.
 */
export async function testWebhook(ctx: CallerCtx, id: string): Promise<TestOut> {
  const webhook = await getWebhook(ctx, id);
  await requirePublicUrl(ctx, webhook.url);
  const email = ctx.newId();
  const payload = {
    event: "email.delivered",
    email_id: email,
    recipient: "recipient@example.com",
    timestamp: iso(ctx.now()),
    metadata: {
      subject: "A test of your webhook",
      tag: "test",
      tags: ["test"],
      domain: "example.com",
      smtp_response: "250 2.0.0 Ok",
    },
  };
  const response = { queued: true, url: webhook.url };
  await guardedBatch(mailDb(ctx), [
    ...addDeliveryStatements(ctx, {
      id: ctx.newId(),
      workspace: webhook.workspace,
      endpoint: webhook.id,
      webhookId: webhook.id,
      email,
      eventType: payload.event,
      payload: JSON.stringify(payload),
      isForced: true,
    }),
    ...storeMailResponse(ctx, response),
  ]);
  await wakeWebhooks(ctx);
  return response;
}
