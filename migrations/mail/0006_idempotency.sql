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

-- Queue messages that failed every retry. The work that they name is still in the outbox.
CREATE TABLE dead_letters (
  id TEXT PRIMARY KEY NOT NULL,
  queue TEXT NOT NULL,
  body TEXT NOT NULL,
  died_at INTEGER NOT NULL
) STRICT;
