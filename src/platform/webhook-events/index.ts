export { recordEventsStatements } from "./record.ts";
export { toWebhookEvents, webhookEventTypes } from "./rules.ts";
export { isWebhookMessage, wakeForResults, wakeWebhooks } from "./wake.ts";
