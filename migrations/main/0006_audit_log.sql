-- The audit log: what callers changed, written in the transaction of the change.

-- The id is a UUIDv7, so its order is that of time: lists and retention need no index on created_at. Rows of a deleted
-- workspace stay until they expire, for the administrators of the platform.
CREATE TABLE audit_log (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER, -- null: the change concerns no workspace
  user_id TEXT, -- null: the service itself
  user_email TEXT,
  method TEXT, -- how the caller authenticated: api_key, session
  credential_id TEXT, -- id of the API key or session
  ip TEXT,
  action TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  target_id TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_log_by_workspace ON audit_log (workspace, id);
