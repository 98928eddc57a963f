import type { RouteCase } from "./route-case.ts";

/** The calls of the gateway, which no API key may make. */
export const gatewayCases: Readonly<Record<string, RouteCase>> = {
  "POST /gateway/sessions": { success: 401 },
  "POST /gateway/senders": { success: 401 },
  "POST /gateway/submissions": { success: 401 },
  "POST /gateway/submission-groups": { success: 401 },
  "POST /gateway/confirmations": { success: 401 },
  "POST /gateway/outcomes": { success: 401 },
  "POST /gateway/leases": { success: 401 },
  "POST /gateway/volume": { success: 401 },
  "POST /gateway/recipients": { success: 401 },
  "POST /gateway/mail": { success: 401 },
  "POST /gateway/imap/sessions": { success: 401 },
  "POST /gateway/accesses": { success: 401 },
  "POST /gateway/imap/calls": { success: 401 },
  "POST /gateway/imap/contents": { success: 401 },
  "POST /gateway/imap/messages": { success: 401 },
  "GET /gateway/imap/changes": { success: 401 },
};
