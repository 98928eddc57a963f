-- Duplicate detection of opens and clicks, and daily roll-ups.

-- JSON array: short ids of the last merged hits that are not in events, so that a repeated hit is counted once.
ALTER TABLE emails ADD COLUMN hits TEXT;

-- Daily sums of rollups_hourly, for older periods.
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
-- One row: the last complete day of rollups_daily.
CREATE TABLE rollups_progress (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  day INTEGER NOT NULL
) STRICT;
