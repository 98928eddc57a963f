-- The last three retries to each address: a retry drops an address when all three bounced.
CREATE TABLE retried_addresses (
  workspace INTEGER NOT NULL,
  email TEXT NOT NULL, -- canonical form
  newest TEXT NOT NULL, -- ids of the retries
  second TEXT,
  third TEXT,
  PRIMARY KEY (workspace, email)
) STRICT, WITHOUT ROWID;
