-- Set: the platform paused sending in this workspace, and its owners cannot resume it. sending_paused_at is set as well, which
-- every check of the pause reads.
ALTER TABLE workspaces ADD COLUMN paused_by_platform_at INTEGER;
