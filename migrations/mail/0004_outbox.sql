-- Due work. due_at is schedule, retry time and lease expiry in one: claiming a row moves due_at forward, so the key
-- orders the work, and an update that matches the old due_at is a compare-and-set.
CREATE TABLE outbox (
  due_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL, -- object of the work; for `deliver` a JSON array of emails.n
  token TEXT, -- the run that holds the lease
  claims INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (due_at, id)
) STRICT, WITHOUT ROWID;
