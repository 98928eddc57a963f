-- Users, workspaces, memberships and API keys.
-- Times are milliseconds since 1970 unless a name ends in _us.

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
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX workspaces_by_id ON workspaces (id);
CREATE UNIQUE INDEX workspaces_by_slug ON workspaces (slug);

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
  revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (hash);
CREATE INDEX api_keys_by_workspace ON api_keys (workspace, id);
