-- One suppression list of a workspace for all its mail databases, and the hosts that links do not redirect to.

CREATE TABLE suppressions (
  workspace INTEGER NOT NULL,
  email TEXT NOT NULL, -- canonical form
  reason TEXT NOT NULL CHECK (reason IN ('bounce', 'complaint', 'unsubscribe', 'manual')),
  created_at INTEGER NOT NULL,
  -- The email whose outcome caused the suppression. Preflight of that email ignores it, because the suppression is written
  -- before the outcome: after a crash between the two the email is sent again and its recipient must still bounce.
  email_id TEXT,
  PRIMARY KEY (workspace, email)
) STRICT, WITHOUT ROWID;

-- Addresses whose domain failed as a whole (no such domain, no mail server). A second failure suppresses the address.
CREATE TABLE domain_failures (
  workspace INTEGER NOT NULL,
  email TEXT NOT NULL, -- canonical form, as in suppressions
  first_at INTEGER NOT NULL, -- first failure, in milliseconds since 1970
  PRIMARY KEY (workspace, email)
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_failures_by_time ON domain_failures (workspace, first_at);

-- Hosts to which tracking links do not redirect (decisions 4, Tracking). A row also blocks the sub-domains of its host.
-- Read by key only: one seek for the host of a link and one for each parent domain, at most 127.
CREATE TABLE blocked_hosts (
  host TEXT PRIMARY KEY NOT NULL CHECK (length(host) BETWEEN 1 AND 253 AND host = lower(host)), -- A-labels in lower case
  created_at INTEGER NOT NULL
) STRICT;
