-- Tells statements that write events of emails, by one index entry, that an automation of the workspace may use them. The columns `people` of
-- shard_workspaces and of workspaces (main) are unused from here on: a version before this one writes them.
CREATE INDEX automations_open ON automations (workspace) WHERE status IN ('active', 'paused');
