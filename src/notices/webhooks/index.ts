export { addDeliveriesStatements, addDeliveryStatements } from "./add-delivery.ts";
export { consumeWebhooks } from "./consume.ts";
export { createWebhook } from "./create.ts";
export { deleteWebhook } from "./delete.ts";
export { type DeliveryEmail, getDelivery, listDeliveries } from "./delivery-queries.ts";
export { getWebhook, listWebhooks } from "./queries.ts";
export { releaseEndpointLeases } from "./release-leases.ts";
export { replayDelivery } from "./replay.ts";
export { DELIVERY_DAYS, deliveryStatuses } from "./rules.ts";
export {
  type DeliveryItemOut,
  type DeliveryOut,
  NOT_LIVE,
  toDelivery,
  toDeliveryItem,
  toWebhook,
  WebhookIn,
  type WebhookOut,
  WebhookPatch,
} from "./schema.ts";
export { newWebhookSecret, sealSecret, WEBHOOK_PURPOSE } from "./secrets.ts";
export { copySubscriptions } from "./subscriptions.ts";
export { isTestPayload, testWebhook } from "./test.ts";
export { updateWebhook } from "./update.ts";
