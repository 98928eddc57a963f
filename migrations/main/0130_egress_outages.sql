-- Times in which emails waited for an egress that cannot be used (docs/contract/delivery.md#outages); at most one has no end.
-- One row written at the begin and one at the end of an outage; rows are deleted two days after the end.
CREATE TABLE egress_outages (
  id TEXT PRIMARY KEY NOT NULL,
  began_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
-- Finds the one that lasts without a read of the others.
CREATE INDEX egress_outages_open ON egress_outages (began_at) WHERE ended_at IS NULL;

-- The last probe of the egress, in the row with id 1. `answered_at` is null when the last probe failed. Written only while emails
-- wait for the egress: two rows a minute.
CREATE TABLE egress_probe (
  id INTEGER PRIMARY KEY NOT NULL,
  started_at INTEGER NOT NULL,
  answered_at INTEGER
) STRICT;
