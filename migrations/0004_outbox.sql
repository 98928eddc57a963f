-- The one work list. due_at is schedule, retry time and lease expiry at once: claiming or waking moves
-- it forward, so the key alone orders the work and a moved row is a lost race.
CREATE TABLE outbox (
  due_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL, -- what the kind works on; for `deliver` a JSON array of emails.n
  token TEXT, -- the run that holds the lease
  claims INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (due_at, id)
) STRICT, WITHOUT ROWID;
