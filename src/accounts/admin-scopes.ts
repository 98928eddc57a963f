/** The routes of platform administrators, by method and mounted path. */
export const adminScopes = {
  "GET /v1/admin/users": "platform_admin",
  "POST /v1/admin/users/:user_id/restrict": "platform_admin",
  "POST /v1/admin/users/:user_id/unrestrict": "platform_admin",
  "GET /v1/admin/audit": "platform_admin",
  "POST /v1/admin/outbox/flush": "platform_admin",
  "GET /v1/admin/outboxes/:database": "platform_admin",
  "GET /v1/admin/dead-letters": "platform_admin",
  "POST /v1/admin/dead-letters/:letter_id/replay": "platform_admin",
  "DELETE /v1/admin/dead-letters/:letter_id": "platform_admin",
  "GET /v1/admin/blocked-hosts": "platform_admin",
  "PUT /v1/admin/blocked-hosts/:host": "platform_admin",
  "DELETE /v1/admin/blocked-hosts/:host": "platform_admin",
} as const;
