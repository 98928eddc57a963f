-- Delegated domains: CNAMEs of the customer lead into zones of the deployment, where the service publishes the values.
ALTER TABLE domains ADD COLUMN setup TEXT NOT NULL DEFAULT 'manual' CHECK (setup IN ('manual', 'delegated'));
ALTER TABLE domains ADD COLUMN zone TEXT; -- zone of its records; null: it has none there
ALTER TABLE domains ADD COLUMN zone_token TEXT; -- random label of their names
ALTER TABLE domains ADD COLUMN next_rotation_at INTEGER; -- next step of a rotation, in ms since 1970
ALTER TABLE domains ADD COLUMN found TEXT NOT NULL DEFAULT '{}'; -- values that the last DNS check found where a record is wrong
CREATE INDEX domains_to_rotate ON domains (next_rotation_at) WHERE next_rotation_at IS NOT NULL;

ALTER TABLE dkim_keys ADD COLUMN slot INTEGER; -- 1 or 2: its selector leads into a zone; null: the customer publishes it
ALTER TABLE dkim_keys ADD COLUMN published_at INTEGER; -- when DNS had its record first; of keys with a slot

-- Records that the zones are to have. A row is the intent, and is written before the DNS API is called.
CREATE TABLE zone_records (
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('TXT', 'MX', 'CNAME', 'A', 'AAAA')),
  zone TEXT NOT NULL,
  value TEXT NOT NULL,
  priority INTEGER,
  is_proxied INTEGER NOT NULL DEFAULT 0,
  domain_id TEXT, -- null: shared by all domains, or its domain is gone
  key_id TEXT, -- the DKIM key that it publishes
  is_removed INTEGER NOT NULL DEFAULT 0, -- 1: to be deleted, at remove_at
  remove_at INTEGER,
  written_at INTEGER, -- when the DNS API took the value
  confirmed_at INTEGER, -- when DNS had the value
  due_at INTEGER, -- null: nothing is to be done
  attempts INTEGER NOT NULL DEFAULT 0, -- failed ones in a row
  PRIMARY KEY (name, type)
) STRICT, WITHOUT ROWID;
CREATE INDEX zone_records_due ON zone_records (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX zone_records_by_domain ON zone_records (domain_id) WHERE domain_id IS NOT NULL;

-- Number of records of delegated domains in each zone.
CREATE TABLE zones (
  name TEXT NOT NULL PRIMARY KEY,
  records INTEGER NOT NULL DEFAULT 0,
  full_at INTEGER -- when the DNS API last said that it is full
) STRICT;
-- A domain is deleted in several places; its records stay for some days, since mail is signed with its keys.
CREATE TRIGGER delegated_domain_deleted AFTER DELETE ON domains WHEN OLD.zone IS NOT NULL BEGIN
  UPDATE zone_records SET domain_id = NULL, is_removed = 1, due_at = 0, attempts = 0 WHERE domain_id = OLD.id;
END;
