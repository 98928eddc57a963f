-- The name of the egress by which mail of a workspace or a domain leaves (NAMED_EGRESS_URLS). Null: by that of its workspace or its kind.
ALTER TABLE workspaces ADD COLUMN egress TEXT;
ALTER TABLE domains ADD COLUMN egress TEXT;
CREATE INDEX workspaces_by_egress ON workspaces (id) WHERE egress IS NOT NULL;
CREATE INDEX domains_by_egress ON domains (name, id) WHERE egress IS NOT NULL;

-- Mail systems that take no mail from an egress until a time, in ms since 1970. It replaces receiver_waits, which an earlier Worker may
-- still write and a later migration drops.
CREATE TABLE egress_waits (
  receiver TEXT NOT NULL,
  egress TEXT NOT NULL, -- main, bulk, or a name of NAMED_EGRESS_URLS
  label TEXT NOT NULL,
  reason TEXT NOT NULL, -- the reply that caused it
  until INTEGER NOT NULL,
  PRIMARY KEY (receiver, egress)
) STRICT, WITHOUT ROWID;
INSERT INTO egress_waits (receiver, egress, label, reason, until)
SELECT receiver, iif(is_bulk = 1, 'bulk', 'main'), label, reason, until FROM receiver_waits WHERE true ON CONFLICT DO NOTHING;
