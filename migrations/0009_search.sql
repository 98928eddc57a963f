-- Finding emails again: filters, search, saved searches.

-- Statuses that few emails are in. `sent` waits for a DSN: only mail to an egress that sends DSNs pays for it.
DROP INDEX emails_by_rare_status;
CREATE INDEX emails_by_rare_status ON emails (workspace, status, id)
  WHERE status IN ('scheduled', 'sent', 'bounced', 'rejected', 'failed', 'cancelled');
-- Queued mail that did not go out at its first chance: +2 rows for each that is put off, nothing for the others.
CREATE INDEX emails_put_off ON emails (workspace, id) WHERE status = 'queued' AND due_at > created_at;
-- What is scheduled, soonest first: +2 rows for a scheduled email.
CREATE INDEX emails_scheduled ON emails (workspace, scheduled_at) WHERE status = 'scheduled';

-- Trigrams of what a search looks through, by emails.n. Keeps no text: what it finds is checked against the row.
-- `scope` is the workspace's number as one trigram of private-use characters, `tags` the tags between U+E000.
CREATE VIRTUAL TABLE email_search USING fts5 (
  sender, subject, recipients, tags, scope,
  content = '', contentless_delete = 1, detail = 'column', tokenize = 'trigram'
);
-- One row: the greatest n that is in the index. Emails above it are looked through one by one.
CREATE TABLE search_progress (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  n INTEGER NOT NULL
) STRICT;
INSERT INTO search_progress (id, n) VALUES (1, 0);

-- Kept per person in a workspace.
CREATE TABLE saved_searches (
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  user_id TEXT NOT NULL REFERENCES users (id),
  searches TEXT NOT NULL, -- JSON array
  PRIMARY KEY (workspace, user_id)
) STRICT, WITHOUT ROWID;
