-- Emails of a broadcast, or of a step of an automation, by which a person unsubscribed. Those before this column existed are not counted.
ALTER TABLE broadcast_counts ADD COLUMN unsubscribed INTEGER NOT NULL DEFAULT 0;
