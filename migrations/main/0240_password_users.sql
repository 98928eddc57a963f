-- The user who set or made a password in a session: it ends with that user's right to the mailbox. NULL: set by an API key, or before this.
ALTER TABLE mailbox_passwords ADD COLUMN user_id TEXT;
ALTER TABLE app_passwords ADD COLUMN user_id TEXT;
