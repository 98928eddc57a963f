import type { RouteCase } from "./route-case.ts";

/** The pages of the dashboard and of webmail: without a session, a page leads to the sign-in page and a form is refused. */
export const pageCases: Record<string, RouteCase> = {
  "GET /mail": { success: 303 },
  "GET /mail/sign-in": { success: 200 },
  "POST /mail/sign-in": { success: 422, body: (of) => ({ email: of.mailbox, password: "a wrong password" }) },
  "POST /mail/sign-out": { success: 403 },
  "GET /app": { success: 303 },
  "GET /app/api-keys": { success: 303 },
  "POST /app/api-keys": { success: 403 },
  "GET /app/api-keys/:api_key_id/revoke": { success: 303 },
  "POST /app/api-keys/:api_key_id/revoke": { success: 403 },
  "GET /app/grants": { success: 303 },
  "GET /app/grants/:grant_id/revoke": { success: 303 },
  "POST /app/grants/:grant_id/revoke": { success: 403 },
  "GET /app/security": { success: 303 },
  "POST /app/security/totp/setup": { success: 403 },
  "POST /app/security/totp/enable": { success: 403 },
  "POST /app/security/totp/disable": { success: 403 },
  "GET /app/security/sessions/:session_id/revoke": { success: 303 },
  "POST /app/security/sessions/:session_id/revoke": { success: 403 },
};
