-- A copy of `bulk_pause` of the main database, so that runs pass over the broadcasts of a stopped workspace without claiming them.
ALTER TABLE shard_workspaces ADD COLUMN bulk_pause INTEGER NOT NULL DEFAULT 0;
CREATE INDEX shard_workspaces_by_bulk_pause ON shard_workspaces (number) WHERE bulk_pause > 0;

-- The number of the stopped workspace whose mail the row has. Resuming finds its rows by the index, which has no others.
ALTER TABLE outbox ADD COLUMN stopped INTEGER;
CREATE INDEX outbox_by_stopped ON outbox (stopped) WHERE stopped IS NOT NULL;

-- Counts of the hour of `at` so far, by which a later run knows those of the last 60 minutes. One row for each run and 500
-- workspaces, deleted after two hours.
CREATE TABLE rate_snapshots (
  n INTEGER PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL,
  first INTEGER NOT NULL, -- number of the first workspace of the step
  counts TEXT NOT NULL, -- JSON: an array of counts by number of the workspace
  last_hour TEXT NOT NULL -- JSON: sums over the workspaces for the 60 minutes before `at`
) STRICT;
CREATE UNIQUE INDEX rate_snapshots_by_time ON rate_snapshots (first, at);
