import type { Scope } from "./scopes.ts";

/** The scope that each route of forwarding rules and of the inbound log requires, by method and mounted path. */
export const forwardingScopes: Readonly<Record<string, Scope | "public">> = {
  "GET /v1/emails/inbound/:message_id": "domains:view",
  "GET /v1/forwarding-rules/": "domains:view",
  "POST /v1/forwarding-rules/": "domains:manage",
  "GET /v1/forwarding-rules/:rule_id": "domains:view",
  "PATCH /v1/forwarding-rules/:rule_id": "domains:manage",
  "DELETE /v1/forwarding-rules/:rule_id": "domains:manage",
  "GET /forwards/:token": "public",
  "POST /forwards/:token": "public",
  "GET /forwarded-files/:token": "public",
};
