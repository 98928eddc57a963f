import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { idCursor, onePage, pageQuery, refusePagesBeyond } from "../../http/pagination.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import { createWebhook } from "./create.ts";
import { deleteWebhook } from "./delete.ts";
import { getDelivery, listDeliveries } from "./delivery-queries.ts";
import { findUrl, getWebhook, listWebhooks } from "./queries.ts";
import { replayDelivery } from "./replay.ts";
import { DELIVERY_DAYS, deliveryStatuses } from "./rules.ts";
import {
  DeliveriesOut,
  DeliveryItemOut,
  DeliveryOut,
  TestOut,
  toDelivery,
  toDeliveryItem,
  toWebhook,
  WebhookIn,
  WebhookOut,
  WebhookPatch,
} from "./schema.ts";
import { testWebhook } from "./test.ts";
import { updateWebhook } from "./update.ts";

const ListQuery = z.object({
  include: z.enum(["paused"]).optional().describe("`paused`: paused webhooks too."),
});

const DeliveriesQuery = z
  .object({
    ...pageQuery({ default: 20, max: 100 }),
    status: z.enum(deliveryStatuses).optional(),
    before: idCursor("before"),
  })
  .superRefine(refusePagesBeyond("before"));

export const webhookRoutes = apiRoutes("Webhooks")
  .get("/v1/webhooks/", "listWebhooks", "webhooks:view", {
    summary: "List active webhooks",
    description: `A workspace has at most ${budgetOf("webhooks").rows} webhooks. Their secrets are masked.`,
    query: ListQuery,
    reads: outlives.credential,
    returns: { 200: ["The webhooks, oldest first", z.array(WebhookOut)] },
    run: async (caller, { query }) =>
      (await listWebhooks(caller, { includePaused: query.include === "paused" })).map((row) => toWebhook(row)),
  })
  .post("/v1/webhooks/", "createWebhook", "webhooks:manage", outlives.credential, {
    summary: "Create a webhook",
    description:
      "Each delivery is a POST that is signed with the secret. It is tried five times: after a failure the waits are 1 minute, " +
      "5 minutes, 30 minutes and 2 hours. An endpoint that fails for 5 days is paused. " +
      `A workspace has at most ${budgetOf("webhooks").rows} webhooks. One with \`email.received\` takes \`inbox:read\` too.`,
    body: WebhookIn,
    returns: { 201: ["The webhook. `secret` is complete in this response only", WebhookOut] },
    run: (caller, { body }) => createWebhook(caller, body),
  })
  .get("/v1/webhooks/:webhook_id", "getWebhook", "webhooks:view", {
    summary: "Get a webhook",
    reads: outlives.credential,
    returns: { 200: ["The webhook, with its secret masked", WebhookOut] },
    run: async (caller, { webhook_id }) => toWebhook(await getWebhook(caller, webhook_id)),
  })
  .patch("/v1/webhooks/:webhook_id", "updateWebhook", "webhooks:manage", outlives.credential, {
    summary: "Update, pause, resume a webhook, or rotate its secret",
    description:
      "A paused webhook gets no events of that time; deliveries that were waiting are sent when it is resumed. After " +
      "`rotate_secret` the old secret also signs for 24 hours. One with `email.received` takes `inbox:read` too.",
    body: WebhookPatch,
    returns: { 200: ["The webhook. `secret` is complete when it was rotated", WebhookOut] },
    errors: [409],
    run: (caller, { webhook_id, body }) => updateWebhook(caller, webhook_id, body),
  })
  .delete("/v1/webhooks/:webhook_id", "deleteWebhook", "webhooks:manage", outlives.nothing, {
    summary: "Delete a webhook",
    returns: { 204: "Deleted" },
    run: (caller, { webhook_id }) => deleteWebhook(caller, webhook_id),
  })
  .post("/v1/webhooks/:webhook_id/test", "sendWebhookTest", "webhooks:manage", outlives.credential, {
    summary: "Send a sample event to a webhook",
    description: "Queues a sample `email.delivered`, also to a paused webhook. Its outcome is in the delivery log.",
    returns: { 200: ["The delivery is queued", TestOut] },
    errors: [413],
    run: (caller, { webhook_id }) => testWebhook(caller, webhook_id),
  })
  .get("/v1/webhooks/:webhook_id/deliveries", "listWebhookDeliveries", "webhooks:view", {
    summary: "List the deliveries of a webhook, newest first",
    description: `Deliveries are kept for ${DELIVERY_DAYS} days.`,
    query: DeliveriesQuery,
    reads: outlives.credential,
    returns: { 200: ["A page of deliveries", DeliveriesOut] },
    run: async (caller, { webhook_id, query }, c) => {
      const { page, limit, status, before } = query;
      const webhook = await getWebhook(caller, webhook_id);
      const part = { status, before, offset: page * limit, limit: limit + 1 };
      const { rows, total } = await listDeliveries(caller, webhook, part);
      const items = onePage(c, rows, limit, ({ id }) => ({ before: id })).map(toDeliveryItem);
      return { items, total, page, limit };
    },
  })
  .get("/v1/webhooks/:webhook_id/deliveries/:delivery_id", "getWebhookDelivery", "webhooks:view", {
    summary: "Get a delivery of a webhook",
    reads: outlives.credential,
    returns: { 200: ["The delivery", DeliveryOut] },
    run: async (caller, { webhook_id, delivery_id }) => {
      const webhook = await getWebhook(caller, webhook_id);
      return toDelivery(await getDelivery(caller, delivery_id, webhook.id), webhook.url);
    },
  })
  .post(
    "/v1/webhooks/:webhook_id/deliveries/:delivery_id/replay",
    "retryWebhookDelivery",
    "webhooks:manage",
    outlives.credential,
    {
      summary: "Send a delivery again",
      description: "Queues a new delivery with the same payload and its own id, also to a paused webhook.",
      returns: { 201: ["The new delivery", DeliveryItemOut] },
      errors: [413],
      run: (caller, { webhook_id, delivery_id }) => replayDelivery(caller, webhook_id, delivery_id),
    },
  )
  .get("/v1/webhook-deliveries/:delivery_id", "getWebhookDeliveryById", "webhooks:view", {
    summary: "Get a delivery by its id alone",
    description:
      "One of a forwarding rule has the text of an email, so it takes the role owner or admin, and `inbox:read`.",
    returns: { 200: ["The delivery", DeliveryOut] },
    run: async (caller, { delivery_id }) => {
      const delivery = await getDelivery(caller, delivery_id);
      return toDelivery(delivery, await findUrl(caller, delivery.webhookId));
    },
  });
