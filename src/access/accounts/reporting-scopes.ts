import type { Scope } from "./scopes.ts";

/** The scope that each route of notifications and analytics requires, by method and mounted path. */
export const reportingScopes: Readonly<Record<string, Scope>> = {
  "GET /v1/notifications": "notifications:view",
  "POST /v1/notifications/read-all": "notifications:manage",
  "POST /v1/notifications/:notification_id/read": "notifications:manage",
  "GET /v1/notifications/preferences": "notifications:view",
  "PUT /v1/notifications/preferences": "notifications:manage",
  "GET /v1/analytics/overview": "analytics:view",
  "GET /v1/analytics/timeseries": "analytics:view",
  "GET /v1/analytics/domain-stats": "analytics:view",
  "GET /v1/analytics/deliverability": "analytics:view",
  "GET /v1/analytics/broadcasts/:broadcast_id": "analytics:view",
};
