-- Addresses whose last emails bounced without proof that the address does not work, such as a full mailbox. The third such bounce,
-- 72 hours or more after the first, lists the address: it gets no bulk mail until an email to it is delivered or a call removes it.
CREATE TABLE soft_bounces (
  workspace INTEGER NOT NULL,
  email TEXT NOT NULL, -- canonical form, as in suppressions
  email_ids TEXT NOT NULL, -- JSON list: the first three emails that bounced in a row, and the one that listed the address
  is_refusal INTEGER NOT NULL, -- 1: the egress refused the last one; 0: a report came after it had accepted the email
  first_at INTEGER NOT NULL, -- of the first bounce in a row, in milliseconds since 1970
  last_at INTEGER NOT NULL,
  -- The first email that the egress accepted since the last bounce. It counts as delivered when no report of it has come for days.
  accepted_id TEXT,
  accepted_at INTEGER,
  listed_at INTEGER, -- null: the address is not listed yet
  PRIMARY KEY (workspace, email)
) STRICT, WITHOUT ROWID;
CREATE INDEX soft_bounces_listed ON soft_bounces (workspace, email) WHERE listed_at IS NOT NULL;
CREATE INDEX soft_bounces_by_time ON soft_bounces (last_at) WHERE listed_at IS NULL;
