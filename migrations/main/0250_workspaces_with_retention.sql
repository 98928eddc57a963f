-- Workspaces that keep their emails for days of their own. Retention reads them each hour.
CREATE INDEX workspaces_with_retention ON workspaces (number) WHERE settings->>'$.retention_days' IS NOT NULL;
