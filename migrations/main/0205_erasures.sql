-- Erasures of persons, and the receipts of them. The outbox runs one in steps; `progress` is the next step.
CREATE TABLE erasures (
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  email TEXT, -- canonical form; null once it is done
  email_hash TEXT NOT NULL, -- the form under which suppressions of an erased person are kept
  progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)),
  removed TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(removed)), -- JSON: rows by kind
  created_at INTEGER NOT NULL,
  finished_at INTEGER, -- null: it runs
  PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;
-- A person has one erasure at a time.
CREATE UNIQUE INDEX erasures_running ON erasures (workspace, email_hash) WHERE finished_at IS NULL;
