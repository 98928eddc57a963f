-- The workspaces whose mail this database holds. Accepting mail checks this table instead of `workspaces`, which will
-- live in another database. The first accept inserts the row; deleting the workspace closes it. A closed row stays.
CREATE TABLE shard_workspaces (
  number INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'closed'))
) STRICT;
