-- What jobs have counted of a workspace: rows by the names of their tables, megabytes of content in R2 with the round of the sweep that found
-- them, and its bytes in a mail database that is nearly full, when they are more than its equal share.
ALTER TABLE workspaces ADD COLUMN stored TEXT NOT NULL DEFAULT '{}';
CREATE INDEX workspaces_over_share ON workspaces (number) WHERE stored->>'$.over_share' IS NOT NULL;
-- The sweep of R2 sums the objects of a workspace over pages of keys.
ALTER TABLE object_sweep ADD COLUMN workspace_id TEXT;
ALTER TABLE object_sweep ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
