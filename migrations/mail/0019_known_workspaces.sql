-- Adds every workspace to shard_workspaces, so that jobs over mail tables find the workspaces of this database there.
INSERT OR IGNORE INTO shard_workspaces (number, id, status)
SELECT number, id, CASE WHEN deleted_at IS NULL THEN 'open' ELSE 'closed' END FROM workspaces;

-- The email whose outcome caused the suppression. Preflight of that email ignores it, because the suppression is written
-- before the outcome: after a crash between the two the email is sent again and its recipient must still bounce.
ALTER TABLE suppressions ADD COLUMN email_id TEXT;
