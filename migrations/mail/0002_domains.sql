-- Domains, their DKIM keys and their mailboxes.

CREATE TABLE domains (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  name TEXT NOT NULL, -- A-label form, lower case
  status TEXT NOT NULL CHECK (status IN ('pending', 'verified', 'failed')),
  ownership_token TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  verified_at INTEGER,
  last_checked_at INTEGER,
  failed_days INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX domains_by_name ON domains (workspace, name);
-- Many workspaces may register a name as pending; only one may have it verified.
CREATE UNIQUE INDEX domains_verified ON domains (name) WHERE status = 'verified';

CREATE TABLE dkim_keys (
  id TEXT PRIMARY KEY NOT NULL,
  domain_id TEXT NOT NULL REFERENCES domains (id),
  selector TEXT NOT NULL,
  algorithm TEXT NOT NULL CHECK (algorithm IN ('rsa-sha256', 'ed25519-sha256')),
  public_key TEXT NOT NULL, -- base64, the value of p= in DNS
  private_key TEXT NOT NULL, -- PKCS #8, encrypted (src/lib/secret-box.ts)
  created_at INTEGER NOT NULL,
  retired_at INTEGER -- set: no longer signs; its DNS record stays until its mail is delivered
) STRICT;
CREATE INDEX dkim_keys_by_domain ON dkim_keys (domain_id);

CREATE TABLE mailboxes (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  domain_id TEXT NOT NULL REFERENCES domains (id),
  local_part TEXT NOT NULL,
  address TEXT NOT NULL, -- canonical form
  display_name TEXT,
  is_active INTEGER NOT NULL DEFAULT 1,
  quota_bytes INTEGER,
  used_bytes INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX mailboxes_by_address ON mailboxes (workspace, address);
CREATE INDEX mailboxes_by_domain ON mailboxes (domain_id);
