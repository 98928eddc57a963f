-- Credentials with which an owner or admin has opened a mailbox that it is not assigned to, so that the audit log has one entry
-- an hour and not one a request. `id` is the id of the mailbox, a space and the id of the credential.
CREATE TABLE mailbox_openings (
  id TEXT PRIMARY KEY NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX mailbox_openings_by_expiry ON mailbox_openings (expires_at);
