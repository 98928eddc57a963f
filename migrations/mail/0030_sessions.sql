-- Sessions of users and the refresh tokens of sessions.

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
