-- When each schedule of cron last ran to its end, for GET /metrics and alerts. +1 row a run, whatever the amount of mail.
CREATE TABLE cron_runs (
  schedule TEXT PRIMARY KEY NOT NULL,
  ran_at INTEGER NOT NULL
) STRICT;
