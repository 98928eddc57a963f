-- Answers kept for 24 hours under the caller's Idempotency-Key. The day leads the key, so that old answers
-- go by range; a look-up asks for today and yesterday. +1 row for a call that carries a key.
CREATE TABLE idempotency_keys (
  day INTEGER NOT NULL, -- days since 1970
  workspace INTEGER NOT NULL,
  key TEXT NOT NULL, -- keyed hash of what the caller sent
  fingerprint TEXT NOT NULL, -- of method, path and body
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (day, workspace, key)
) STRICT, WITHOUT ROWID;

-- Queue messages that failed every retry. What they named is still in the outbox; this says that it happened.
CREATE TABLE dead_letters (
  id TEXT PRIMARY KEY NOT NULL,
  queue TEXT NOT NULL,
  body TEXT NOT NULL,
  died_at INTEGER NOT NULL
) STRICT;
