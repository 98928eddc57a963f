/** The routes for programs written for Resend's npm package. Each has the scope of the route of the API that it equals. */
export const compatScopes = {
  "POST /compat/resend/emails": "emails:send",
  "POST /compat/resend/emails/batch": "emails:send",
  "GET /compat/resend/emails/:email_id": "emails:view",
  "PATCH /compat/resend/emails/:email_id": "emails:send",
  "POST /compat/resend/emails/:email_id/cancel": "emails:send",
} as const;
