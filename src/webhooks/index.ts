export { addDeliveryStatements, type NewDelivery } from "./add-delivery.ts";
export { consumeWebhooks } from "./consume.ts";
export { releaseEndpointLeases } from "./release-leases.ts";
export { DELIVERY_DAYS } from "./rules.ts";
export { newWebhookSecret, openSecret, sealSecret, WEBHOOK_PURPOSE } from "./secrets.ts";
export { copySubscriptions } from "./subscriptions.ts";
