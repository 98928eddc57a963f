-- Counts of emails in the roll-up row of a recipient domain, next to its counts of recipients: a lone email then writes one
-- roll-up row instead of two. An email counts in the row of the first of its domains. The counts of emails of a workspace
-- are the sum of these columns over all domains, plus the row of domain '': earlier versions count every email there,
-- and this one those that cannot be assigned to a domain.
ALTER TABLE rollups_hourly ADD COLUMN emails_sent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN emails_delivered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN emails_bounced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN emails_failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN emails_opened INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN emails_clicked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_sent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_delivered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_bounced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_opened INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_clicked INTEGER NOT NULL DEFAULT 0;
