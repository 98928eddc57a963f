-- Rotation of API keys, deletion of workspaces, and notifications.

ALTER TABLE api_keys ADD COLUMN replaced_by_id TEXT; -- set by a rotation: the new key

-- Set: the workspace is deleted. Its credentials are invalid and nothing is sent; its records are deleted in steps.
ALTER TABLE workspaces ADD COLUMN deleted_at INTEGER;

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
