-- Counts of recipients by their last known state. `bounced` has hard bounces only from here on. `unsent`: failed before the egress
-- took or refused the email. The columns `emails_…` have none of these: they are read for opens and clicks only.
ALTER TABLE rollups_hourly ADD COLUMN soft_bounced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN unsent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN soft_bounced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN unsent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_totals ADD COLUMN soft_bounced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_totals ADD COLUMN unsent INTEGER NOT NULL DEFAULT 0;

-- The sums counted emails and count recipients now. 100 days are more than analytics covers, so the next run of the job sums all
-- again; until then these hours are read by recipient domain.
UPDATE rollups_closed SET hour = hour - 2400;
