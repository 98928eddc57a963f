-- Opens and clicks beyond those that stand in events, and roll-ups by day.

-- JSON array: short ids of the hits that were merged last and are not in events, so that one that comes twice counts once.
ALTER TABLE emails ADD COLUMN hits TEXT;

-- Like rollups_hourly, made from it: what analytics reads beyond some days.
CREATE TABLE rollups_daily (
  workspace INTEGER NOT NULL,
  day INTEGER NOT NULL, -- days since 1970, in UTC
  domain TEXT NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  delivered INTEGER NOT NULL DEFAULT 0,
  bounced INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  opens INTEGER NOT NULL DEFAULT 0,
  clicks INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace, day, domain)
) STRICT, WITHOUT ROWID;
-- One row: the last day that rollups_daily has whole.
CREATE TABLE rollups_progress (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  day INTEGER NOT NULL
) STRICT;
