/** The pages of webmail. They take the session of a mailbox or of a user, and apply the scope of a route of the inbox API. */
export const webmailRoutes = {
  "GET /mail": "page",
  "GET /mail/sign-in": "public",
  "POST /mail/sign-in": "public",
  "POST /mail/sign-out": "page",
  "GET /mail/assets/:file": "public",
  "GET /mail/compose/:mailbox_id": "page",
  "POST /mail/compose/:mailbox_id": "page",
  "GET /mail/events/:mailbox_id": "page",
  "GET /mail/scheduled/:mailbox_id": "page",
  "POST /mail/scheduled/:mailbox_id": "page",
  "GET /mail/:mailbox_id/:folder": "page",
  "POST /mail/:mailbox_id/:folder": "page",
  "GET /mail/:mailbox_id/:folder/:uid": "page",
  "GET /mail/:mailbox_id/:folder/:uid/body": "page",
  "GET /mail/:mailbox_id/:folder/:uid/raw": "page",
  "GET /mail/:mailbox_id/:folder/:uid/parts/:part_id": "page",
} as const;
