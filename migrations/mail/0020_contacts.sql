-- Contact lists and their contacts. Times are milliseconds since 1970.

-- n: key of the contacts of the list. AUTOINCREMENT, so that the number of a deleted list, whose contacts may wait for
-- their purge, is never reused.
CREATE TABLE contact_lists (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  icon_seed TEXT,
  contact_count INTEGER NOT NULL DEFAULT 0, -- changes in the batch that inserts or deletes the contacts
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX contact_lists_by_id ON contact_lists (workspace, id);

-- n: numbers contacts in the order of their insertion and is never reused, so the contacts that existed at a moment are
-- those up to the greatest n of that moment.
CREATE TABLE contacts (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  workspace INTEGER NOT NULL,
  list INTEGER NOT NULL, -- contact_lists.n; a contact of a missing list is deleted soon and must not be read
  id TEXT NOT NULL, -- UUIDv7; a page of a list continues after an id
  email TEXT NOT NULL,
  email_key TEXT NOT NULL, -- canonical form, as in suppressions
  name TEXT,
  metadata TEXT, -- JSON object
  -- Reason of the address on the suppression list of the workspace, copied for counts. The suppression list decides.
  suppressed TEXT CHECK (suppressed IN ('bounce', 'complaint', 'unsubscribe', 'manual')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX contacts_by_id ON contacts (list, id);
-- One contact for each address of a list. It also finds the contacts of an address in all lists of a workspace.
CREATE UNIQUE INDEX contacts_by_email ON contacts (workspace, email_key, list);
