-- OAuth clients, grants, authorization codes and access tokens. Refresh tokens are in refresh_tokens, a family a grant.

CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT, -- as the client calls itself; not verified
  uri TEXT, -- its home page; not verified
  redirect_uris TEXT NOT NULL, -- JSON array
  created_at INTEGER NOT NULL,
  used_at INTEGER -- first consent; null: deleted 24 hours after created_at
) STRICT;
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL;

-- A row exists as long as the grant is valid; each request looks it up.
CREATE TABLE oauth_grants (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  user_id TEXT NOT NULL REFERENCES users (id),
  client_id TEXT NOT NULL REFERENCES oauth_clients (id),
  scopes TEXT NOT NULL, -- JSON array, as consented
  resource TEXT NOT NULL, -- RFC 8707
  created_at INTEGER NOT NULL,
  refreshed_at INTEGER, -- last issue of an access token; null: the code was not redeemed yet
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id, id);
CREATE INDEX oauth_grants_by_workspace ON oauth_grants (workspace, user_id);
CREATE INDEX oauth_grants_by_client ON oauth_grants (client_id);
CREATE INDEX oauth_grants_by_expiry ON oauth_grants (expires_at);

-- Used codes are kept until their grant ends, so that a second use is noticed.
CREATE TABLE oauth_codes (
  hash TEXT PRIMARY KEY NOT NULL, -- keyed hash; the code itself is not stored
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL,
  code_challenge TEXT NOT NULL, -- S256 (RFC 7636 4.2)
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX oauth_codes_by_grant ON oauth_codes (grant_id);

CREATE TABLE oauth_access_tokens (
  hash TEXT PRIMARY KEY NOT NULL, -- keyed hash; the token itself is not stored
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  scopes TEXT NOT NULL, -- JSON array: those of the grant, or fewer
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_access_tokens_by_grant ON oauth_access_tokens (grant_id);
CREATE INDEX oauth_access_tokens_by_expiry ON oauth_access_tokens (expires_at);
