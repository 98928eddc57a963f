-- Emails of a workspace that were accepted on a day (days since 1970, UTC). Written only while the workspace has a daily limit:
-- +1 row written an accept.
ALTER TABLE shard_workspaces ADD COLUMN day INTEGER;
ALTER TABLE shard_workspaces ADD COLUMN day_emails INTEGER NOT NULL DEFAULT 0;
