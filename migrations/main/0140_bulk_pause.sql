-- A workspace that stopped itself, because too much of its mail bounced or was marked as spam (src/sending/rates/).
-- 0: not. 1: bulk and broadcast mail waits. 2: batches and all other mail wait too, except that of API, SMTP, inbox and system.
ALTER TABLE workspaces ADD COLUMN bulk_pause INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN bulk_paused_at INTEGER;
-- The mail before an owner resumed it does not stop it again.
ALTER TABLE workspaces ADD COLUMN bulk_resumed_at INTEGER;
-- Lists the stopped workspaces without a read of the others. No cost for these.
CREATE INDEX workspaces_by_bulk_pause ON workspaces (bulk_paused_at) WHERE bulk_paused_at IS NOT NULL;
