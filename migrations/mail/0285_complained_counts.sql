-- Emails of a broadcast, or of a step of an automation, that a person marked as spam. Those before this column existed are not counted.
ALTER TABLE broadcast_counts ADD COLUMN complained INTEGER NOT NULL DEFAULT 0;
