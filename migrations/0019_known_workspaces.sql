-- Adds every workspace to shard_workspaces, so that jobs over mail tables find the workspaces of this database there.
INSERT OR IGNORE INTO shard_workspaces (number, id, status)
SELECT number, id, CASE WHEN deleted_at IS NULL THEN 'open' ELSE 'closed' END FROM workspaces;
