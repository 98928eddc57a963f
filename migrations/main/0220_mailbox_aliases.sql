-- Further addresses of mailboxes (docs/contract/mailboxes.md#aliases). An alias may be at another domain than its mailbox. Its workspace is
-- that of the mailbox and of the domain.
CREATE TABLE mailbox_aliases (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  mailbox_id TEXT NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  address TEXT NOT NULL, -- canonical form
  created_at INTEGER NOT NULL
) STRICT;
-- No statement adds an address that the other table has: both are compared in the statement that inserts.
CREATE UNIQUE INDEX mailbox_aliases_by_address ON mailbox_aliases (workspace, address);
CREATE INDEX mailbox_aliases_by_address_alone ON mailbox_aliases (address);
CREATE INDEX mailbox_aliases_by_mailbox ON mailbox_aliases (mailbox_id, address);
CREATE INDEX mailbox_aliases_by_domain ON mailbox_aliases (domain_id);
