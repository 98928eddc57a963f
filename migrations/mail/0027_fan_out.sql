-- Emails of broadcasts, and their outbox rows.

ALTER TABLE emails ADD COLUMN broadcast INTEGER; -- broadcasts.n
ALTER TABLE emails ADD COLUMN contact INTEGER; -- contacts.n
ALTER TABLE emails ADD COLUMN variant INTEGER; -- broadcast_variants.n; 0: the broadcast's own content
-- JSON object: values of the placeholders in the content, which several emails share. Null: the content has none.
ALTER TABLE emails ADD COLUMN variables TEXT;
-- One email for each contact of a broadcast: +1 row for an email of a broadcast, nothing for the others.
CREATE UNIQUE INDEX emails_by_broadcast ON emails (broadcast, contact) WHERE broadcast IS NOT NULL;

-- Set on rows of kind `bulk`, which are claimed by broadcast, behind other mail.
ALTER TABLE outbox ADD COLUMN broadcast INTEGER;
CREATE INDEX outbox_by_broadcast ON outbox (broadcast, due_at, id) WHERE broadcast IS NOT NULL;

ALTER TABLE broadcasts ADD COLUMN next_claim_at INTEGER; -- with max_per_hour: no row is claimed before
