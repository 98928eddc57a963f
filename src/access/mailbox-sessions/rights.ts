/** The rights with which a password of a mailbox ends. */
export interface PasswordOwner {
  /** The API key that sets it; null: none. */
  apiKeyId: string | null;
  /** The user who may set it only because of an assignment to the mailbox; null: an owner or admin sets it. */
  assigneeId: string | null;
  /** The user who sets it in a session; null: an API key sets it. */
  userId: string | null;
}

export const PASSWORD_TABLES = ["mailbox_passwords", "app_passwords"] as const;

/** Returns a condition of SQL: a user is assigned to a mailbox. */
export const isAssignedSql = (mailboxId: string, userId: string) =>
  `EXISTS (SELECT 1 FROM mailbox_assignees a WHERE a.mailbox_id = ${mailboxId} AND a.user_id = ${userId})`;

/** Returns a condition of SQL: the member `m` of the workspace of a mailbox may open it, as an owner or admin, or because it is assigned. */
export const mayOpenSql = (mailboxId: string) => `(m.role <> 'member' OR ${isAssignedSql(mailboxId, "m.user_id")})`;

/**
 * Returns a condition of SQL: the right by which a password `p` of a mailbox `b` was set has not ended. It is that of the user in a
 * session, or the API key with the role of its user and the assignment. A row without a user is by a key, by the mailbox itself, or
 * from before the column: then it has the assignment alone. `now` is the parameter of the time.
 */
const hasRight = (now: string) => `
  (p.user_id IS NULL OR EXISTS (
     SELECT 1 FROM memberships m WHERE m.workspace = b.workspace AND m.user_id = p.user_id AND ${mayOpenSql("b.id")}))
   AND (p.assignee_id IS NULL OR p.user_id IS NOT NULL OR ${isAssignedSql("b.id", "p.assignee_id")})
   AND (p.api_key_id IS NULL OR EXISTS (
     SELECT 1 FROM api_keys k JOIN memberships m ON m.workspace = k.workspace AND m.user_id = k.user_id
      WHERE k.id = p.api_key_id AND k.workspace = b.workspace AND k.revoked_at IS NULL
        AND (m.role <> 'member' OR p.assignee_id IS NOT NULL)
        AND (k.expires_at IS NULL OR k.expires_at > ${now})))`;

/** Returns SQL: a mailbox `b` that a password `p` opens. Its domain is verified, its workspace exists, and `hasRight` is true. */
const openBy = (table: (typeof PASSWORD_TABLES)[number], now: string) => `
  mailboxes b JOIN domains d ON d.id = b.domain_id AND d.workspace = b.workspace AND d.status = 'verified'
  JOIN workspaces w ON w.number = b.workspace AND w.deleted_at IS NULL
  JOIN ${table} p ON p.mailbox_id = b.id AND ${hasRight(now)}`;

/** Returns SQL: a mailbox `b` that its password `p` opens, as `openBy` says. */
export const openByPassword = (now: string) => openBy("mailbox_passwords", now);

/** Returns SQL: a mailbox `b` that an app password `p` opens, as `openBy` says. */
export const openByAppPassword = (now: string) => openBy("app_passwords", now);

/** Returns SQL: the app passwords `p` of a mailbox `b` whose right has not ended. */
export const appPasswordsOf = (mailboxId: string, now: string) => `
  mailboxes b JOIN app_passwords p ON p.mailbox_id = b.id AND ${hasRight(now)} WHERE b.id = ${mailboxId}`;
