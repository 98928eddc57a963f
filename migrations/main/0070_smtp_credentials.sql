-- SMTP credentials, deactivated ones included.
CREATE TABLE smtp_credentials (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id), -- who made it and as whom it sends
  username TEXT NOT NULL,
  hash TEXT, -- scrypt of the password; null once deactivated
  created_at INTEGER NOT NULL,
  deactivated_at INTEGER
) STRICT;
CREATE UNIQUE INDEX smtp_credentials_active ON smtp_credentials (domain_id) WHERE deactivated_at IS NULL;
CREATE INDEX smtp_credentials_by_domain ON smtp_credentials (domain_id);
CREATE INDEX smtp_credentials_by_username ON smtp_credentials (username) WHERE deactivated_at IS NULL;
CREATE INDEX smtp_credentials_by_workspace ON smtp_credentials (workspace, id);
