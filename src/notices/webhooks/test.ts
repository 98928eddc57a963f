import type { CallerCtx } from "../../access/caller.ts";
import { iso } from "../../lib/time.ts";
import { guardedBatch } from "../../platform/db/batch.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { requireMailSpace } from "../../platform/jobs/shard-sizes.ts";
import { wakeWebhooks } from "../../platform/webhook-events/wake.ts";
import { addDeliveryStatements } from "./add-delivery.ts";
import { requirePublicUrl } from "./create.ts";
import { getWebhook } from "./queries.ts";
import type { TestOut } from "./schema.ts";

/** Tells the sample from an event of an email. Mail to its recipient never leaves: the domain is reserved (RFC 2606). */
const SAMPLE = { recipient: "recipient@example.com", subject: "A test of your webhook" } as const;

/** Returns whether a payload is that of a test, whose email does not exist. */
export function isTestPayload({ recipient, metadata }: Readonly<Record<string, unknown>>): boolean {
  const { subject } = Object(metadata) as { subject?: unknown };
  return recipient === SAMPLE.recipient && subject === SAMPLE.subject;
}

/**
 * Queues the delivery of a sample `email.delivered` to a webhook, also to a paused one and whatever its events. Throws 404,
 * and 422 when its URL is refused now.
 */
export async function testWebhook(ctx: CallerCtx, id: string): Promise<TestOut> {
  requireMailSpace(ctx);
  const webhook = await getWebhook(ctx, id);
  await requirePublicUrl(ctx, webhook.url);
  const email = ctx.newId();
  const payload = {
    event: "email.delivered",
    email_id: email,
    recipient: SAMPLE.recipient,
    timestamp: iso(ctx.now()),
    metadata: {
      subject: SAMPLE.subject,
      tag: "test",
      tags: ["test"],
      domain: "example.com",
      smtp_response: "250 2.0.0 Ok",
    },
  };
  const response = { queued: true, url: webhook.url };
  await guardedBatch(ctx.mail, [
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
    ...(await storeMailResponse(ctx, response)),
  ]);
  await wakeWebhooks(ctx);
  return response;
}
