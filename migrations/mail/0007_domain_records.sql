-- Results of DNS checks, the hierarchy of domain names, and DKIM keys that are not active yet.

-- tree_key (later reversed_name): the labels in reverse order, each followed by a dot ("com.example.mail."), so that the
-- subdomains of a name are one range of the index.
ALTER TABLE domains ADD COLUMN tree_key TEXT NOT NULL DEFAULT '';
ALTER TABLE domains ADD COLUMN records TEXT NOT NULL DEFAULT '{}'; -- JSON: name of a record to its status at the last check
ALTER TABLE domains ADD COLUMN check_at INTEGER; -- when a verified domain is checked again
WITH RECURSIVE reversed (id, rest, tree) AS (
  SELECT id, name || '.', '' FROM domains
  UNION ALL
  SELECT id, substr(rest, instr(rest, '.') + 1), substr(rest, 1, instr(rest, '.')) || tree FROM reversed WHERE rest <> ''
)
UPDATE domains SET tree_key = reversed.tree FROM reversed WHERE reversed.id = domains.id AND reversed.rest = '';
UPDATE domains SET check_at = verified_at + 86400000 WHERE status = 'verified';

DROP INDEX domains_verified;
-- Many workspaces may register a name as pending; only one may have it verified.
CREATE UNIQUE INDEX domains_verified ON domains (tree_key) WHERE status = 'verified';
CREATE INDEX domains_to_check ON domains (check_at) WHERE status = 'verified';

-- A key signs as soon as its DNS record has been found.
ALTER TABLE dkim_keys ADD COLUMN activated_at INTEGER;
UPDATE dkim_keys SET activated_at = created_at;
CREATE INDEX dkim_keys_retired ON dkim_keys (retired_at) WHERE retired_at IS NOT NULL;

-- Users assigned to a mailbox.
CREATE TABLE mailbox_assignees (
  mailbox_id TEXT NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  PRIMARY KEY (mailbox_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mailbox_assignees_by_user ON mailbox_assignees (user_id);
