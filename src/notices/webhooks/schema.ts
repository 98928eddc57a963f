import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { MAX_URL_CHARACTERS } from "../../platform/public-urls/parse.ts";
import { webhookEventTypes } from "../../platform/webhook-events/rules.ts";
import type { DeliveryItemRow, DeliveryRow } from "./delivery-queries.ts";
import type { WebhookRow } from "./queries.ts";
import { deliveryStatuses, limits } from "./rules.ts";

/** Request and response schemas of webhooks. */

const Url = z.string().min(1).max(MAX_URL_CHARACTERS).meta({
  format: "uri",
  description:
    "https with a public host: no credentials, no private, loopback, link-local or metadata address. Redirects are not followed.",
});

const Events = z
  .array(z.enum(webhookEventTypes))
  .min(1)
  .max(webhookEventTypes.length)
  .meta({ examples: [["email.delivered", "email.bounced"]], description: "Types of events that are delivered." });

export const WebhookIn = z
  .object({ url: Url, events: Events })
  .meta(
    named("WebhookCreate", { url: "https://hooks.example.com/email", events: ["email.delivered", "email.bounced"] }),
  );
export type WebhookIn = z.output<typeof WebhookIn>;

export const WebhookPatch = z
  .object({
    url: Url.optional(),
    events: Events.optional(),
    is_active: z.boolean().optional().describe("false pauses the delivery, true resumes it."),
    rotate_secret: z
      .boolean()
      .optional()
      .describe("true replaces the secret. The old one also signs for 24 hours (`X-Service-Signature-Previous`)."),
  })
  .meta(named("WebhookUpdate", { is_active: false }));
export type WebhookPatch = z.output<typeof WebhookPatch>;

const id = "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a85";
const deliveryId = "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a86";
const created_at = "2026-11-21T14:00:00.000Z";
const url = "https://hooks.example.com/email";

export const WebhookOut = z
  .object({
    id: z.uuid(),
    url: z.string(),
    events: z.array(z.enum(webhookEventTypes)),
    secret: z
      .string()
      .describe(
        "Complete in the response that creates the webhook or rotates the secret. Other responses mask it except for its last four characters.",
      ),
    is_active: z.boolean(),
    created_at: timestamp,
    warning: z
      .string()
      .optional()
      .describe(
        "Only in the response that creates a webhook, while the deployment delivers no events (`LIVE_WEBHOOKS`).",
      ),
  })
  .meta(
    named("Webhook", {
      id,
      url,
      events: ["email.delivered", "email.bounced"],
      secret: "whsec_****pXo=",
      is_active: true,
      created_at,
    }),
  );
export type WebhookOut = z.output<typeof WebhookOut>;

export const TestOut = z
  .object({
    queued: z.boolean().describe("Whether the delivery was written; its outcome is in the delivery log."),
    url: z.string(),
  })
  .meta(named("WebhookTest", { queued: true, url }));
export type TestOut = z.output<typeof TestOut>;

const item = {
  id: z.uuid(),
  webhook_id: z.uuid().nullable().describe("Null: a forwarding rule."),
  event_type: z.string(),
  status: z.enum(deliveryStatuses),
  response_status: z.int().nullable(),
  attempt: z.int().describe(`Requests made, at most ${limits.attempts}.`),
  next_retry_at: timestamp.nullable(),
  created_at: timestamp,
};

const itemExample = {
  id: deliveryId,
  webhook_id: id,
  event_type: "email.delivered",
  status: "delivered" as const,
  response_status: 200,
  attempt: 1,
  next_retry_at: null,
  created_at,
};

export const DeliveryItemOut = z.object(item).meta(named("WebhookDeliveryItem", itemExample));
export type DeliveryItemOut = z.output<typeof DeliveryItemOut>;

export const DeliveriesOut = z
  .object({
    items: z.array(DeliveryItemOut),
    total: z.int().describe("Deliveries of the last 30 days with this status."),
    page: z.int(),
    limit: z.int(),
  })
  .meta(named("WebhookDeliveryList", { items: [itemExample], total: 1, page: 0, limit: 20 }));

export const DeliveryOut = z
  .object({
    ...item,
    payload: z.record(z.string(), z.unknown()).describe("The body of each request."),
    response_body: z
      .string()
      .nullable()
      .describe(`The first ${limits.responseBytes.toLocaleString("en")} bytes of the last response.`),
    endpoint_url: z.string().nullable().describe("URL of the last request, or that of the next one."),
    error: z.string().nullable().describe("Why the last attempt failed."),
  })
  .meta(
    named("WebhookDelivery", {
      ...itemExample,
      payload: {
        event: "email.delivered",
        email_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
        recipient: "ada@example.org",
        timestamp: created_at,
        metadata: {
          subject: "Your receipt",
          tag: "receipt",
          tags: ["receipt"],
          domain: "example.com",
          smtp_response: "250 2.0.0 Ok",
        },
      },
      response_body: "",
      endpoint_url: url,
      error: null,
    }),
  );
export type DeliveryOut = z.output<typeof DeliveryOut>;

/** Says that no events are delivered while LIVE_WEBHOOKS is off. */
export const NOT_LIVE =
  "Events are not delivered to this webhook: LIVE_WEBHOOKS is off in this deployment. Tests are delivered.";

/** Serializes a webhook. `secret` is its secret where it is shown. */
export const toWebhook = (row: WebhookRow, secret = `whsec_****${row.secretEnd}`): WebhookOut =>
  serialize(WebhookOut, { ...row, events: row.events as WebhookOut["events"], secret });

/** Serializes a delivery for the list. */
export const toDeliveryItem = (row: DeliveryItemRow): DeliveryItemOut =>
  serialize(DeliveryItemOut, { ...row, nextRetryAt: row.status === "retrying" ? row.dueAt : null });

/** Serializes a delivery as a whole. `nextUrl` is shown before its first request. */
export function toDelivery(row: DeliveryRow, nextUrl: string | null): DeliveryOut {
  return {
    ...toDeliveryItem(row),
    payload: JSON.parse(row.payload) as Record<string, unknown>,
    response_body: row.responseBody,
    endpoint_url: row.url ?? nextUrl,
    error: row.error,
  };
}
