-- Filters, search and saved searches of emails.

-- Statuses of few emails. `sent` means that a DSN is expected, so only mail to an egress that sends DSNs adds rows.
DROP INDEX emails_by_rare_status;
CREATE INDEX emails_by_rare_status ON emails (workspace, status, id)
  WHERE status IN ('scheduled', 'sent', 'bounced', 'rejected', 'failed', 'cancelled');
-- Deferred emails: +2 rows for each, none for the others.
CREATE INDEX emails_put_off ON emails (workspace, id) WHERE status = 'queued' AND due_at > created_at;
-- Scheduled emails, soonest first: +2 rows per scheduled email.
CREATE INDEX emails_scheduled ON emails (workspace, scheduled_at) WHERE status = 'scheduled';

-- Trigram index of the searched fields, by emails.n. It stores no text, so matches are checked against the row. `scope` is
-- the workspace number as one trigram of private-use characters; `tags` are the tags separated by U+E000.
CREATE VIRTUAL TABLE email_search USING fts5 (
  sender, subject, recipients, tags, scope,
  content = '', contentless_delete = 1, detail = 'column', tokenize = 'trigram'
);
-- One row: the greatest n in the index. Emails above it are scanned.
CREATE TABLE search_progress (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  n INTEGER NOT NULL
) STRICT;
INSERT INTO search_progress (id, n) VALUES (1, 0);

-- One row per user of a workspace.
CREATE TABLE saved_searches (
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  user_id TEXT NOT NULL REFERENCES users (id),
  searches TEXT NOT NULL, -- JSON array
  PRIMARY KEY (workspace, user_id)
) STRICT, WITHOUT ROWID;
