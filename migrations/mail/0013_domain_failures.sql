-- Addresses whose domain failed as a whole (no such domain, no mail server). A second failure suppresses the address.
CREATE TABLE domain_failures (
  workspace INTEGER NOT NULL,
  email TEXT NOT NULL, -- canonical form, as in suppressions
  first_at INTEGER NOT NULL, -- first failure, in milliseconds since 1970
  PRIMARY KEY (workspace, email)
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_failures_by_time ON domain_failures (workspace, first_at);
