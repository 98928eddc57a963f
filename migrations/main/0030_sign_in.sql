-- Ways to sign in: one-time tokens, second factor, identity providers, and passwords of mailboxes.

-- Deleted by the redemption, in the transaction of what it allows.
CREATE TABLE one_time_tokens (
  hash TEXT PRIMARY KEY NOT NULL, -- keyed hash; the token itself is not stored
  purpose TEXT NOT NULL,
  subject TEXT NOT NULL, -- of a magic link: the email address; of a second factor: the id of the user
  data TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX one_time_tokens_by_expiry ON one_time_tokens (expires_at);

CREATE TABLE user_totp (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  secret TEXT NOT NULL, -- encrypted (src/lib/secret-box.ts)
  last_step INTEGER NOT NULL DEFAULT 0, -- time step of the last accepted code: none is accepted twice
  created_at INTEGER NOT NULL,
  enabled_at INTEGER -- null: set up and not confirmed by a code
) STRICT;

CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id),
  hash TEXT NOT NULL, -- keyed hash; a used code is deleted
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- Accounts of users at identity providers.
CREATE TABLE identities (
  provider TEXT NOT NULL CHECK (provider IN ('google', 'github')),
  subject TEXT NOT NULL, -- the provider's id of the account
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (provider, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE mailbox_passwords (
  mailbox_id TEXT PRIMARY KEY NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
  hash TEXT NOT NULL, -- scrypt (src/mailbox-sessions/password.ts)
  changed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE mailbox_sessions (
  id TEXT PRIMARY KEY NOT NULL,
  mailbox_id TEXT NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
  ip TEXT,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mailbox_sessions_by_mailbox ON mailbox_sessions (mailbox_id);
CREATE INDEX mailbox_sessions_by_expiry ON mailbox_sessions (expires_at);

-- Finds a mailbox by its address alone: the one that sends the service's emails, and the one of a webmail login.
CREATE INDEX mailboxes_by_address_alone ON mailboxes (address);
