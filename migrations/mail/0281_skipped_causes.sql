-- Why exactly a contact is suppressed or unsubscribed for a broadcast: bounce, complaint, manual, soft_bounces, unsubscribe or topic. Null in
-- rows before this column existed.
ALTER TABLE broadcast_skipped ADD COLUMN cause TEXT;
-- Finds the broadcasts that skipped a contact, for the timeline of a person.
CREATE INDEX broadcast_skipped_by_contact ON broadcast_skipped (contact);
CREATE INDEX broadcast_pending_by_contact ON broadcast_pending (contact);
