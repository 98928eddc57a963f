// The client of the service for Node 20.3 or newer and Workers. It has no dependencies.
export { type Client, createClient } from "./client.ts";
export { ApiError, type Blocker, ConnectionError, type ValidationError } from "./errors.ts";
export type * from "./generated/types.ts";
export type { ClientOptions, RequestOptions } from "./request.ts";
export {
  verifyWebhook,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookOptions,
  WebhookSignatureError,
} from "./webhooks.ts";
