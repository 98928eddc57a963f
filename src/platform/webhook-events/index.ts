export { recordEventsStatements } from "./record.ts";
export { toWebhookEvents, type WebhookEvent, type WebhookEventType, webhookEventTypes } from "./rules.ts";
export { isWebhookMessage, type WebhookMessage, wakeForResults, wakeWebhooks } from "./wake.ts";
