-- Passwords of mail programs. One ends with the right by which it was made, as a row of mailbox_passwords does.
CREATE TABLE app_passwords (
  id TEXT PRIMARY KEY NOT NULL,
  mailbox_id TEXT NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  hash TEXT NOT NULL, -- HMAC under a master key: a password has 140 random bits, so it needs no slow hash
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  api_key_id TEXT,
  assignee_id TEXT
) STRICT;
CREATE INDEX app_passwords_by_mailbox ON app_passwords (mailbox_id, id);
CREATE INDEX app_passwords_by_api_key ON app_passwords (api_key_id) WHERE api_key_id IS NOT NULL;
