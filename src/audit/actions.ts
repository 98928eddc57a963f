/** Every action of the audit log, and the kind of record that it concerns (decisions 2). */
export const actions = {
  "api_key.created": "api_key",
  "api_key.rotated": "api_key",
  "api_key.revoked": "api_key",
  "domain.registered": "domain",
  "domain.verified": "domain",
  "domain.dkim_rotated": "domain",
  "domain.deleted": "domain",
  "mailbox.created": "mailbox",
  "mailbox.updated": "mailbox",
  "mailbox.assigned": "mailbox",
  "mailbox.deleted": "mailbox",
  "suppression.added": "suppression",
  "suppression.removed": "suppression",
  "workspace.created": "workspace",
  "workspace.updated": "workspace",
  "workspace.deleted": "workspace",
  "session.started": "session",
  "session.ended": "session",
  "user.restricted": "user",
  "user.unrestricted": "user",
  "outbox.flushed": "outbox",
  "member.role_changed": "user",
  "member.removed": "user",
  "member.left": "user",
} as const;

export type AuditAction = keyof typeof actions;
