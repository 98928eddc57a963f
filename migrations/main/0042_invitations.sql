-- Pending invitations to workspaces. A row is deleted when it is accepted or withdrawn.
CREATE TABLE invitations (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  email TEXT NOT NULL,
  email_key TEXT NOT NULL, -- canonical form, for comparing addresses
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  hash TEXT NOT NULL, -- keyed hash; the token itself is in the mailed link only
  invited_by TEXT NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX invitations_by_address ON invitations (workspace, email_key);
CREATE UNIQUE INDEX invitations_by_hash ON invitations (hash);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
