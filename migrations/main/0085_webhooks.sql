-- Webhooks. The mail databases have a copy of what decides which events are delivered
-- (webhook_endpoints); `version` grows with each change, so that an older copy never replaces a newer one.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  url TEXT NOT NULL,
  events TEXT NOT NULL, -- JSON array
  secret TEXT NOT NULL, -- encrypted
  secret_end TEXT NOT NULL, -- its last four characters, to tell secrets apart
  previous_secret TEXT, -- encrypted; it also signs until previous_until
  previous_until INTEGER,
  is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_workspace ON webhooks (workspace, id);
