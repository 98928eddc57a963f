-- Further counts of recipients, and of emails as a whole (0046). `refused`: bounced or rejected without having been sent.
-- `deferred`: deferred at least once.
ALTER TABLE rollups_hourly ADD COLUMN complained INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN deferred INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN unsubscribed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN emails_complained INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN emails_deferred INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN emails_unsubscribed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_hourly ADD COLUMN emails_refused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN complained INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN deferred INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN unsubscribed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_complained INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_deferred INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_unsubscribed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups_daily ADD COLUMN emails_refused INTEGER NOT NULL DEFAULT 0;

-- Counts of the emails of a workspace in an hour that ended, so that analytics of 90 days read 2,160 rows and not those of
-- every recipient domain. A job sums them from rollups_hourly; a count that comes later is added to both.
CREATE TABLE rollups_totals (
  workspace INTEGER NOT NULL,
  hour INTEGER NOT NULL, -- hours since 1970
  sent INTEGER NOT NULL DEFAULT 0,
  delivered INTEGER NOT NULL DEFAULT 0,
  bounced INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  opens INTEGER NOT NULL DEFAULT 0,
  clicks INTEGER NOT NULL DEFAULT 0,
  complained INTEGER NOT NULL DEFAULT 0,
  deferred INTEGER NOT NULL DEFAULT 0,
  unsubscribed INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace, hour)
) STRICT, WITHOUT ROWID;

-- One row: the last hour whose totals are complete.
CREATE TABLE rollups_closed (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  hour INTEGER NOT NULL
) STRICT;
