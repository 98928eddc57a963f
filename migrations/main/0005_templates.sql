-- Templates: reusable subjects and bodies with placeholders.

-- A row has at most 1,900,000 octets (src/templates/rules.ts); D1 allows 2,000,000. The long columns are the last ones,
-- so that reads of the others skip their pages.
CREATE TABLE templates (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  name TEXT NOT NULL,
  subject TEXT,
  size INTEGER NOT NULL, -- octets of the template as JSON; a page of the list ends by size
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, -- greater after every change, for compare-and-set
  html_body TEXT,
  text_body TEXT,
  blocks_json TEXT -- JSON object: data of an editor
) STRICT;
CREATE INDEX templates_by_update ON templates (workspace, updated_at, id);
