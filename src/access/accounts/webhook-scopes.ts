import type { Scope } from "./scopes.ts";

/** The scope that each route of webhooks requires, by method and mounted path. */
export const webhookScopes: Readonly<Record<string, Scope>> = {
  "GET /v1/webhooks/": "webhooks:view",
  "POST /v1/webhooks/": "webhooks:manage",
  "GET /v1/webhooks/:webhook_id": "webhooks:view",
  "PATCH /v1/webhooks/:webhook_id": "webhooks:manage",
  "DELETE /v1/webhooks/:webhook_id": "webhooks:manage",
  "POST /v1/webhooks/:webhook_id/test": "webhooks:manage",
  "GET /v1/webhooks/:webhook_id/deliveries": "webhooks:view",
  "GET /v1/webhooks/:webhook_id/deliveries/:delivery_id": "webhooks:view",
  "POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/replay": "webhooks:manage",
  "GET /v1/webhook-deliveries/:delivery_id": "webhooks:view",
};
