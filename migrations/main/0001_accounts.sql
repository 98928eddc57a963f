-- Users, workspaces, sessions and API keys. Tables of the main database are unique across workspaces, or decide who may
-- do what. Times are milliseconds since 1970 unless a name ends in _us.

CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL, -- canonical form, for comparing addresses
  name TEXT,
  is_platform_admin INTEGER NOT NULL DEFAULT 0,
  restricted_at INTEGER, -- set: the platform has restricted this account; it cannot send
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX users_by_email ON users (email_key);

-- number: a small integer for the keys of the mail tables and for tokens. AUTOINCREMENT, so that the number of a
-- deleted workspace is never reused.
CREATE TABLE workspaces (
  number INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  settings TEXT NOT NULL DEFAULT '{}',
  sending_paused_at INTEGER,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER, -- set: its credentials are invalid and nothing is sent; its records are deleted in steps
  mail_shards TEXT NOT NULL DEFAULT '[0]' -- JSON array: numbers of its mail databases, newest first
) STRICT;
CREATE UNIQUE INDEX workspaces_by_id ON workspaces (id);
CREATE UNIQUE INDEX workspaces_by_slug ON workspaces (slug);

-- The mail databases. A cron run writes the sizes each minute. A number is that of a binding: MAIL_0, MAIL_1 and so on.
CREATE TABLE mail_shards (
  number INTEGER PRIMARY KEY NOT NULL,
  size INTEGER NOT NULL DEFAULT 0, -- bytes of the database
  workspaces INTEGER NOT NULL DEFAULT 0, -- placed here, deleted ones included
  is_open INTEGER NOT NULL DEFAULT 1 -- 0: an operator has closed it for new workspaces
) STRICT;

CREATE TABLE memberships (
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  user_id TEXT NOT NULL REFERENCES users (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_user ON memberships (user_id);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  user_id TEXT NOT NULL REFERENCES users (id), -- the key acts as this user
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL, -- keyed hash; the key itself is shown once and not stored
  scopes TEXT NOT NULL,
  domain_ids TEXT, -- null: every domain of the workspace
  last_used_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  replaced_by_id TEXT -- set by a rotation: the new key
) STRICT;
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (hash);
CREATE INDEX api_keys_by_workspace ON api_keys (workspace, id);

-- A row exists as long as the session does; each request looks it up.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  workspace INTEGER NOT NULL REFERENCES workspaces (number), -- the active one, used by the next refresh
  method TEXT NOT NULL, -- how the user signed in
  ip TEXT,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  refreshed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  reauthenticated_at INTEGER -- set: the user proved its identity again at this time
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Each use of a refresh token replaces it. Used tokens are kept until they expire, so that a second use is noticed.
CREATE TABLE refresh_tokens (
  hash TEXT PRIMARY KEY NOT NULL, -- keyed hash; the token itself is not stored
  kind TEXT NOT NULL CHECK (kind IN ('session', 'mailbox', 'oauth')),
  family TEXT NOT NULL, -- id of what the tokens refresh: a session, for example
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  successor_hash TEXT
) STRICT;
CREATE INDEX refresh_tokens_by_family ON refresh_tokens (family);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

CREATE TABLE notifications (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  user_id TEXT NOT NULL REFERENCES users (id),
  category TEXT NOT NULL CHECK (category IN ('alerts', 'sends', 'team')),
  severity TEXT NOT NULL CHECK (severity IN ('info', 'success', 'warning', 'error')),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  href TEXT,
  read_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notifications_by_user ON notifications (workspace, user_id, id);

-- One row per user of a workspace.
CREATE TABLE saved_searches (
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  user_id TEXT NOT NULL REFERENCES users (id),
  searches TEXT NOT NULL, -- JSON array
  PRIMARY KEY (workspace, user_id)
) STRICT, WITHOUT ROWID;
