-- Workspaces whose emails lately began to wait for the egress, so that their owners are notified without a read of the outbox.
-- `notified` is the outage (egress_outages of the main database) of which they were. Written only while the egress cannot be
-- used: 2 rows a workspace and minute at most.
CREATE TABLE outage_workspaces (
  workspace INTEGER PRIMARY KEY NOT NULL,
  waiting_at INTEGER NOT NULL,
  notified TEXT
) STRICT;
CREATE INDEX outage_workspaces_by_notified ON outage_workspaces (notified, workspace);
