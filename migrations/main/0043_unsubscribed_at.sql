-- When an address unsubscribed. It is kept beside a stronger reason, and applies again when that is released.
ALTER TABLE suppressions ADD COLUMN unsubscribed_at INTEGER;
UPDATE suppressions SET unsubscribed_at = created_at WHERE reason = 'unsubscribe';
