-- What DNS said about each domain, who may verify which names, and keys that wait for their record.

-- tree_key: the labels from the top, each with its dot ("com.example.mail."), so that the names below a name
-- are one range of the index.
ALTER TABLE domains ADD COLUMN tree_key TEXT NOT NULL DEFAULT '';
ALTER TABLE domains ADD COLUMN records TEXT NOT NULL DEFAULT '{}'; -- JSON: name of a record to its status at the last look
ALTER TABLE domains ADD COLUMN check_at INTEGER; -- when a verified domain is looked up again
WITH RECURSIVE reversed (id, rest, tree) AS (
  SELECT id, name || '.', '' FROM domains
  UNION ALL
  SELECT id, substr(rest, instr(rest, '.') + 1), substr(rest, 1, instr(rest, '.')) || tree FROM reversed WHERE rest <> ''
)
UPDATE domains SET tree_key = reversed.tree FROM reversed WHERE reversed.id = domains.id AND reversed.rest = '';
UPDATE domains SET check_at = verified_at + 86400000 WHERE status = 'verified';

DROP INDEX domains_verified;
-- Many workspaces may hold a name as pending, one may hold it verified.
CREATE UNIQUE INDEX domains_verified ON domains (tree_key) WHERE status = 'verified';
CREATE INDEX domains_to_check ON domains (check_at) WHERE status = 'verified';

-- A key signs from the moment its DNS record has been seen.
ALTER TABLE dkim_keys ADD COLUMN activated_at INTEGER;
UPDATE dkim_keys SET activated_at = created_at;
CREATE INDEX dkim_keys_retired ON dkim_keys (retired_at) WHERE retired_at IS NOT NULL;

-- Who works with a mailbox.
CREATE TABLE mailbox_assignees (
  mailbox_id TEXT NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  PRIMARY KEY (mailbox_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mailbox_assignees_by_user ON mailbox_assignees (user_id);
