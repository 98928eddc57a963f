-- What a job has counted of a workspace: rows by the names of their tables, and its bytes.
ALTER TABLE shard_workspaces ADD COLUMN stored TEXT NOT NULL DEFAULT '{}';
-- The drafts of a workspace, which their INSERT counts.
CREATE INDEX broadcasts_drafts ON broadcasts (workspace) WHERE status = 'draft';
