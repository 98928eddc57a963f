-- A password ends with the right by which it was set: with the API key that set it, and with the assignment of a member who is neither
-- owner nor admin. Both null: an owner or admin set it in a session.
ALTER TABLE mailbox_passwords ADD COLUMN api_key_id TEXT;
ALTER TABLE mailbox_passwords ADD COLUMN assignee_id TEXT;
-- The rotation of a key hands its passwords to the successor.
CREATE INDEX mailbox_passwords_by_api_key ON mailbox_passwords (api_key_id) WHERE api_key_id IS NOT NULL;
