-- Emails, the changes feed and suppressions.
-- Cost of a row: $0.001 per 1,000 emails for each row or index entry written.

-- Rows are wide, so this is a rowid table: past about 1,000 bytes a WITHOUT ROWID row takes 4.7 KB.
-- Ids are UUIDv7, so (workspace, id) descending is newest first and serves list, detail and pages: +1 row per email.
CREATE TABLE emails (
  n INTEGER PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('scheduled', 'queued', 'sent', 'delivered', 'bounced', 'rejected', 'failed', 'cancelled')),
  source TEXT NOT NULL,
  domain_id TEXT NOT NULL,
  mailbox_id TEXT NOT NULL,
  user_id TEXT, -- the sending user; null when the service itself sends
  from_email TEXT NOT NULL,
  from_name TEXT,
  message_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  recipients TEXT NOT NULL, -- JSON array: {kind, email, name?, key? (when it is not the lower-cased email), state}
  tags TEXT, -- JSON array or null
  events TEXT NOT NULL, -- JSON array: {id, type, at, metadata?}
  content_key TEXT, -- null: the email's own object (src/db/r2-keys.ts)
  content_at INTEGER NOT NULL, -- offset and length of the content document in the object
  content_size INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER, -- due_at of its outbox row while that row is not claimed
  work TEXT, -- id of that row when it is not the email's own id
  version INTEGER NOT NULL DEFAULT 0, -- incremented by every change, for compare-and-set
  opened_count INTEGER NOT NULL DEFAULT 0,
  clicked_count INTEGER NOT NULL DEFAULT 0,
  scheduled_at INTEGER,
  created_at INTEGER NOT NULL,
  sent_at INTEGER,
  delivered_at INTEGER,
  rejection_reason TEXT,
  retry_of_id TEXT,
  content TEXT -- copy of a small content document until the email is sent, which saves a read from R2; last column, so that other reads skip its pages
) STRICT;
CREATE UNIQUE INDEX emails_by_id ON emails (workspace, id);
-- Filters on statuses that few emails are in. +1 row for an email that enters one; nothing for the others.
CREATE INDEX emails_by_rare_status ON emails (workspace, status, id)
  WHERE status IN ('scheduled', 'bounced', 'rejected', 'failed', 'cancelled');

-- The /updates feed: one row per set of changes committed together. at_us is computed inside the statement from the
-- last one of the workspace, so that order of commit is order of time.
CREATE TABLE changes (
  workspace INTEGER NOT NULL,
  at_us INTEGER NOT NULL,
  emails TEXT NOT NULL, -- JSON array of emails.n
  PRIMARY KEY (workspace, at_us)
) STRICT, WITHOUT ROWID;

CREATE TABLE suppressions (
  workspace INTEGER NOT NULL,
  email TEXT NOT NULL, -- canonical form
  reason TEXT NOT NULL CHECK (reason IN ('bounce', 'complaint', 'unsubscribe', 'manual')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace, email)
) STRICT, WITHOUT ROWID;
