-- Consent: lists that ask for confirmation, contacts that have not confirmed, and the evidence of what people agreed to.
ALTER TABLE contact_lists ADD COLUMN confirm INTEGER NOT NULL DEFAULT 0;
ALTER TABLE contact_lists ADD COLUMN confirm_mailbox_id TEXT; -- null: the oldest mailbox of the workspace that may send
ALTER TABLE contact_lists ADD COLUMN confirm_subject TEXT;
ALTER TABLE contact_lists ADD COLUMN confirm_text TEXT;
ALTER TABLE contacts ADD COLUMN pending_since INTEGER; -- null: active

-- Confirmation mails of an address and a list. A row outlives its contact, so that deleting and adding a contact sends no more mails.
CREATE TABLE confirmations (
  workspace INTEGER NOT NULL,
  email_key TEXT NOT NULL,
  list INTEGER NOT NULL, -- contact_lists.n
  requested_at INTEGER, -- null: no mail is to be sent
  sent TEXT NOT NULL DEFAULT '[]', -- JSON list of the times of the mails of the last days
  last_at INTEGER NOT NULL DEFAULT 0, -- of the last mail
  PRIMARY KEY (workspace, email_key, list)
) STRICT, WITHOUT ROWID;
CREATE INDEX confirmations_due ON confirmations (list, requested_at) WHERE requested_at IS NOT NULL;
CREATE INDEX confirmations_by_time ON confirmations (last_at) WHERE requested_at IS NULL;

-- When, from where and to which words a person agreed. It stays when a contact or a list is deleted.
CREATE TABLE consents (
  workspace INTEGER NOT NULL,
  email_key TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('requested', 'confirmed', 'stated')),
  at INTEGER NOT NULL,
  list_id TEXT NOT NULL,
  list_name TEXT NOT NULL, -- as it was then
  ip TEXT,
  user_agent TEXT,
  words TEXT, -- consent_words.version
  source TEXT, -- of a statement: where the person agreed, in the words of the caller
  user_id TEXT, -- of a statement: who stated it
  PRIMARY KEY (workspace, email_key, id)
) STRICT, WITHOUT ROWID;

-- The words of forms and confirmation mails, by a hash of them.
CREATE TABLE consent_words (
  n INTEGER PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL,
  version TEXT NOT NULL,
  words TEXT NOT NULL -- JSON
) STRICT;
CREATE UNIQUE INDEX consent_words_by_version ON consent_words (workspace, version);

-- Contacts of an audience that had not confirmed when it was fixed.
CREATE TABLE broadcast_pending (
  broadcast INTEGER NOT NULL,
  contact INTEGER NOT NULL, -- contacts.n
  workspace INTEGER NOT NULL,
  PRIMARY KEY (broadcast, contact)
) STRICT, WITHOUT ROWID;
