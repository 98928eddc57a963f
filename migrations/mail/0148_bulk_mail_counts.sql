-- Emails of a broadcast that were cancelled before they left. 0 for broadcasts that were sent before this column existed.
ALTER TABLE broadcast_counts ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
-- Copied like `suppressed`, for counts: 1 when the address is listed in soft_bounces of the main database.
ALTER TABLE contacts ADD COLUMN soft_bounced INTEGER NOT NULL DEFAULT 0;
