-- Counts of recipients per workspace, hour and recipient domain, for analytics. The row of domain '' counts emails.
-- Each flush derives its counts from the state before it, so a repeated flush adds nothing.
CREATE TABLE rollups_hourly (
  workspace INTEGER NOT NULL,
  hour INTEGER NOT NULL, -- hours since 1970
  domain TEXT NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  delivered INTEGER NOT NULL DEFAULT 0,
  bounced INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  opens INTEGER NOT NULL DEFAULT 0,
  clicks INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace, hour, domain)
) STRICT, WITHOUT ROWID;
