/** The calls of the SMTP gateway. They take the secret that it shares with the Worker. */
export const gatewayRoutes = {
  "POST /gateway/sessions": "gateway",
  "POST /gateway/senders": "gateway",
  "POST /gateway/submissions": "gateway",
  "POST /gateway/submission-groups": "gateway",
  "POST /gateway/confirmations": "gateway",
  "POST /gateway/recipients": "gateway",
  "POST /gateway/mail": "gateway",
} as const;
