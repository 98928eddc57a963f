import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noBody } from "../../http/json-body.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { idCursor, onePage, pageQuery, refusePagesBeyond } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { createWebhook } from "./create.ts";
import { deleteWebhook } from "./delete.ts";
import { getDelivery, listDeliveries } from "./delivery-queries.ts";
import { findUrl, getWebhook, listWebhooks } from "./queries.ts";
import { replayDelivery } from "./replay.ts";
import { DELIVERY_DAYS, deliveryStatuses, limits } from "./rules.ts";
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

const operation = operationsOf("Webhooks");

export const webhookRoutes = newRoutes()
  .get(
    "/v1/webhooks/",
    operation("webhooks:view", "listWebhooks", {
      summary: "List active webhooks",
      description: `A workspace has at most ${limits.webhooksPerWorkspace} webhooks. Their secrets are masked.`,
      responses: responses(200, "The webhooks, oldest first", z.array(WebhookOut), [403]),
    }),
    query(ListQuery),
    async (c) => {
      const includePaused = c.req.valid("query").include === "paused";
      const rows = await listWebhooks(c.get("caller"), { includePaused });
      return c.json(rows.map((row) => toWebhook(row)));
    },
  )
  .post(
    "/v1/webhooks/",
    operation("webhooks:manage", "createWebhook", {
      summary: "Create a webhook",
      description:
        "Each delivery is a POST that is signed with the secret. It is tried five times: after a failure the waits are 1 minute, " +
        "5 minutes, 30 minutes and 2 hours. An endpoint that fails for 5 days is paused. " +
        `A workspace has at most ${limits.webhooksPerWorkspace} webhooks.`,
      responses: responses(
        201,
        "The webhook. `secret` is complete in this response only",
        WebhookOut,
        [403, 409, 413, 415],
      ),
    }),
    ...body(WebhookIn),
    idempotent(201),
    async (c) => c.json(await createWebhook(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/webhooks/:webhook_id",
    operation("webhooks:view", "getWebhook", {
      summary: "Get a webhook",
      responses: responses(200, "The webhook, with its secret masked", WebhookOut, [403, 404]),
    }),
    async (c) => c.json(toWebhook(await getWebhook(c.get("caller"), c.req.param("webhook_id")))),
  )
  .patch(
    "/v1/webhooks/:webhook_id",
    operation("webhooks:manage", "updateWebhook", {
      summary: "Update, pause, resume a webhook, or rotate its secret",
      description:
        "A paused webhook gets no events of that time; deliveries that were waiting are sent when it is resumed. After " +
        "`rotate_secret` the old secret also signs for 24 hours.",
      responses: responses(
        200,
        "The webhook. `secret` is complete when it was rotated",
        WebhookOut,
        [403, 404, 409, 413, 415],
      ),
    }),
    ...body(WebhookPatch),
    async (c) => c.json(await updateWebhook(c.get("caller"), c.req.param("webhook_id"), c.req.valid("json"))),
  )
  .delete(
    "/v1/webhooks/:webhook_id",
    operation("webhooks:manage", "deleteWebhook", {
      summary: "Delete a webhook",
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteWebhook(c.get("caller"), c.req.param("webhook_id"))),
  )
  .post(
    "/v1/webhooks/:webhook_id/test",
    operation("webhooks:manage", "sendWebhookTest", {
      summary: "Send a sample event to a webhook",
      description: "Queues a sample `email.delivered`, also to a paused webhook. Its outcome is in the delivery log.",
      responses: responses(200, "The delivery is queued", TestOut, [403, 404, 409, 413]),
    }),
    noBody,
    idempotent(200),
    async (c) => c.json(await testWebhook(c.get("caller"), c.req.param("webhook_id"))),
  )
  .get(
    "/v1/webhooks/:webhook_id/deliveries",
    operation("webhooks:view", "listWebhookDeliveries", {
      summary: "List the deliveries of a webhook, newest first",
      description: `Deliveries are kept for ${DELIVERY_DAYS} days.`,
      responses: responses(200, "A page of deliveries", DeliveriesOut, [403, 404]),
    }),
    query(DeliveriesQuery),
    async (c) => {
      const { page, limit, status, before } = c.req.valid("query");
      const webhook = await getWebhook(c.get("caller"), c.req.param("webhook_id"));
      const part = { status, before, offset: page * limit, limit: limit + 1 };
      const { rows, total } = await listDeliveries(c.get("caller"), webhook, part);
      const items = onePage(c, rows, limit, ({ id }) => ({ before: id })).map(toDeliveryItem);
      return c.json({ items, total, page, limit });
    },
  )
  .get(
    "/v1/webhooks/:webhook_id/deliveries/:delivery_id",
    operation("webhooks:view", "getWebhookDelivery", {
      summary: "Get a delivery of a webhook",
      responses: responses(200, "The delivery", DeliveryOut, [403, 404]),
    }),
    async (c) => {
      const webhook = await getWebhook(c.get("caller"), c.req.param("webhook_id"));
      const delivery = await getDelivery(c.get("caller"), c.req.param("delivery_id"), webhook.id);
      return c.json(toDelivery(delivery, webhook.url));
    },
  )
  .post(
    "/v1/webhooks/:webhook_id/deliveries/:delivery_id/replay",
    operation("webhooks:manage", "retryWebhookDelivery", {
      summary: "Send a delivery again",
      description: "Queues a new delivery with the same payload and its own id, also to a paused webhook.",
      responses: responses(201, "The new delivery", DeliveryItemOut, [403, 404, 409, 413]),
    }),
    noBody,
    idempotent(201),
    async (c) => {
      const { webhook_id, delivery_id } = c.req.param();
      return c.json(await replayDelivery(c.get("caller"), webhook_id, delivery_id), 201);
    },
  )
  .get(
    "/v1/webhook-deliveries/:delivery_id",
    operation("webhooks:view", "getWebhookDeliveryById", {
      summary: "Get a delivery by its id alone",
      description:
        "One of a forwarding rule has the text of an email, so it takes the role owner or admin, and `inbox:read`.",
      responses: responses(200, "The delivery", DeliveryOut, [403, 404]),
    }),
    async (c) => {
      const delivery = await getDelivery(c.get("caller"), c.req.param("delivery_id"));
      return c.json(toDelivery(delivery, await findUrl(c.get("caller"), delivery.webhookId)));
    },
  );
