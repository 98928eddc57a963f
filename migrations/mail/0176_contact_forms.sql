-- Hosted forms of contact lists.
CREATE TABLE contact_forms (
  n INTEGER PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  list INTEGER NOT NULL, -- contact_lists.n
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  button TEXT NOT NULL,
  fields TEXT NOT NULL, -- JSON list
  success_message TEXT NOT NULL,
  redirect_url TEXT,
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX contact_forms_by_id ON contact_forms (workspace, id);
CREATE INDEX contact_forms_by_list ON contact_forms (list, id);
