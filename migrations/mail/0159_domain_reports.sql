-- DMARC and TLS reports about the domains of workspaces. `day`: day on which the time of a report begins (days since 1970, UTC).
-- A report counts once. The organisation is the domain whose DMARC passed for the message that brought it.
CREATE TABLE domain_reports (
  workspace INTEGER NOT NULL,
  day INTEGER NOT NULL,
  domain_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('dmarc', 'tls')),
  organization TEXT NOT NULL,
  report_id TEXT NOT NULL,
  id TEXT NOT NULL, -- of the delivery that counted
  received_at INTEGER NOT NULL,
  PRIMARY KEY (workspace, day, domain_id, kind, organization, report_id)
) STRICT, WITHOUT ROWID;

-- Messages by the server that sent them; '' stands for those beyond the bound of a day.
CREATE TABLE dmarc_sources (
  workspace INTEGER NOT NULL,
  day INTEGER NOT NULL,
  domain_id TEXT NOT NULL,
  source TEXT NOT NULL,
  aligned INTEGER NOT NULL, -- 1: DKIM passed for an aligned domain, 2: SPF did, 3: both
  disposition TEXT NOT NULL,
  messages INTEGER NOT NULL,
  PRIMARY KEY (workspace, day, domain_id, source, aligned, disposition)
) STRICT, WITHOUT ROWID;

-- Connections to the servers that receive mail for a domain, by type of their failure (RFC 8460 4.3); '' stands for none.
CREATE TABLE tls_sessions (
  workspace INTEGER NOT NULL,
  day INTEGER NOT NULL,
  domain_id TEXT NOT NULL,
  failure TEXT NOT NULL,
  server TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  PRIMARY KEY (workspace, day, domain_id, failure, server)
) STRICT, WITHOUT ROWID;
