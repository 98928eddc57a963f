-- Outbox rows of emails that failed before MAIL FROM (decisions 4, "Egress missing or unavailable").
-- `waiting`: the last attempt failed before MAIL FROM. `released`: the row was moved forward after the egress recovered.
ALTER TABLE outbox ADD COLUMN outage TEXT CHECK (outage IN ('waiting', 'released'));
-- Finds waiting rows, oldest email first (ids are UUIDv7), without a scan of the outbox. No cost for a row whose email
-- never failed before MAIL FROM; +1 row written for each write of one that did.
CREATE INDEX outbox_by_outage ON outbox (outage, id) WHERE outage IS NOT NULL;
-- At most one row triggers the next release step. No cost for rows of other kinds.
CREATE UNIQUE INDEX outbox_one_release ON outbox (kind) WHERE kind = 'release';
