-- Transfers of domains to other workspaces. Times are milliseconds since 1970.

-- No foreign keys: a transfer is kept when its domain or a workspace is deleted.
CREATE TABLE domain_transfers (
  id TEXT PRIMARY KEY NOT NULL,
  domain_id TEXT NOT NULL,
  domain_name TEXT NOT NULL,
  reversed_name TEXT NOT NULL, -- as in domains
  status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'completed', 'declined', 'cancelled', 'reversed', 'expired')),
  source_user_id TEXT NOT NULL, -- who initiated it
  source_workspace INTEGER NOT NULL, -- number of the workspace that owns the domain
  source_org_id TEXT NOT NULL, -- id of that workspace
  source_label TEXT NOT NULL,
  target_email TEXT NOT NULL,
  target_email_key TEXT NOT NULL, -- canonical form, for comparing addresses
  target_user_id TEXT, -- null until it is accepted, like the next two
  target_workspace INTEGER,
  target_org_id TEXT,
  note TEXT,
  initiated_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, -- end of the time for accepting it
  accepted_at INTEGER,
  cooloff_until INTEGER, -- end of the safety window
  completed_at INTEGER
) STRICT;
-- At most one active transfer of a domain, and the active ones above and below a name: a transfer takes sub-domains along.
CREATE UNIQUE INDEX domain_transfers_active ON domain_transfers (source_workspace, reversed_name)
  WHERE status IN ('pending', 'accepted');
CREATE INDEX domain_transfers_incoming ON domain_transfers (target_email_key, id) WHERE status IN ('pending', 'accepted');
CREATE INDEX domain_transfers_outgoing ON domain_transfers (source_user_id, id);
CREATE INDEX domain_transfers_by_domain ON domain_transfers (domain_id) WHERE status IN ('pending', 'accepted');

-- Tokens of mailed links. A row is deleted when its token is redeemed.
CREATE TABLE domain_transfer_tokens (
  hash TEXT PRIMARY KEY NOT NULL, -- keyed hash; the token itself is in the mailed link only
  transfer_id TEXT NOT NULL REFERENCES domain_transfers (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('accept', 'stop'))
) STRICT;
CREATE INDEX domain_transfer_tokens_by_transfer ON domain_transfer_tokens (transfer_id);

-- DKIM keys of an accepted transfer with rotate_dkim. They become pending keys of the domain when it is completed.
CREATE TABLE domain_transfer_keys (
  id TEXT PRIMARY KEY NOT NULL,
  transfer_id TEXT NOT NULL REFERENCES domain_transfers (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL,
  selector TEXT NOT NULL,
  algorithm TEXT NOT NULL CHECK (algorithm IN ('rsa-sha256', 'ed25519-sha256')),
  public_key TEXT NOT NULL,
  private_key TEXT NOT NULL, -- PKCS #8, encrypted as in dkim_keys
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX domain_transfer_keys_by_transfer ON domain_transfer_keys (transfer_id);

-- Finds a domain with its sub-domains in one workspace.
CREATE INDEX domains_by_reversed_name ON domains (workspace, reversed_name);
