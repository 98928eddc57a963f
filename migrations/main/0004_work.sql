-- Work and responses that are written with rows of this database, and the progress of jobs.

-- Due work, as in the mail databases. due_at is schedule, retry time and lease expiry in one: claiming a row moves due_at
-- forward, so the key orders the work, and an update that matches the old due_at is a compare-and-set.
CREATE TABLE outbox (
  due_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL, -- object of the work
  token TEXT, -- the run that holds the lease
  claims INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (due_at, id)
) STRICT, WITHOUT ROWID;

-- Responses stored for 24 hours per Idempotency-Key. The day is the first column of the key, so that expired rows are
-- deleted by range; a lookup reads today and yesterday. +1 row per request with a key.
CREATE TABLE idempotency_keys (
  day INTEGER NOT NULL, -- days since 1970
  workspace INTEGER NOT NULL,
  key TEXT NOT NULL, -- keyed hash of the Idempotency-Key
  fingerprint TEXT NOT NULL, -- of method, path and body
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (day, workspace, key)
) STRICT, WITHOUT ROWID;

-- Queue messages that failed every retry. The work that they name is still in an outbox.
CREATE TABLE dead_letters (
  id TEXT PRIMARY KEY NOT NULL,
  queue TEXT NOT NULL,
  body TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;

-- One row. `checked_key`: the last R2 key that the sweep of objects without rows has checked; empty at the start of a round.
CREATE TABLE object_sweep (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  checked_key TEXT NOT NULL
) STRICT;
INSERT INTO object_sweep (id, checked_key) VALUES (1, '');
