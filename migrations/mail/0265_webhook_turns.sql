-- A claim takes due endpoints in turns of workspaces, which this index alone tells. It has as many rows written as the one that it replaces.
CREATE INDEX webhook_endpoints_turns ON webhook_endpoints (due_at, workspace) WHERE due_at IS NOT NULL;
DROP INDEX webhook_endpoints_due;
