/** The calls of the SMTP gateway. They take the secret that it shares with the Worker (http/gateway-auth.ts), no credential. */
export const gatewayRoutes = {
  "POST /gateway/sessions": "public",
  "POST /gateway/senders": "public",
  "POST /gateway/submissions": "public",
  "POST /gateway/submission-groups": "public",
  "POST /gateway/confirmations": "public",
  "POST /gateway/recipients": "public",
  "POST /gateway/mail": "public",
} as const;
