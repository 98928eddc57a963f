-- Rules that forward mail of hosted mailboxes (docs/contract/inbound.md#forwarding-rules).
CREATE TABLE forwarding_rules (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  mailbox_id TEXT REFERENCES mailboxes (id) ON DELETE CASCADE, -- null: every mailbox of the domain
  match TEXT NOT NULL, -- JSON object
  action TEXT NOT NULL CHECK (action IN ('address', 'mailbox', 'webhook')),
  target TEXT NOT NULL, -- an address, the id of a mailbox, or a URL
  target_key TEXT, -- the canonical form of an address
  secret TEXT, -- of a webhook, encrypted
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX forwarding_rules_by_workspace ON forwarding_rules (workspace, position, id);
CREATE INDEX forwarding_rules_by_domain ON forwarding_rules (domain_id, position, id);
CREATE INDEX forwarding_rules_by_mailbox ON forwarding_rules (mailbox_id) WHERE mailbox_id IS NOT NULL;

-- Outside addresses that a workspace wants to forward to. Nothing is forwarded before confirmed_at.
CREATE TABLE forward_targets (
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  address TEXT NOT NULL, -- canonical
  requested_at INTEGER NOT NULL, -- when the last link was sent
  confirmed_at INTEGER,
  PRIMARY KEY (workspace, address)
) STRICT, WITHOUT ROWID;

-- Automatic replies of mailboxes (RFC 3834).
CREATE TABLE auto_replies (
  mailbox_id TEXT PRIMARY KEY NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  starts_at INTEGER,
  ends_at INTEGER,
  subject TEXT,
  text TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
