-- Outbox rows of a restored backup, as in the mail databases.
CREATE TABLE held_outbox (
  id TEXT PRIMARY KEY NOT NULL,
  due_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  token TEXT,
  claims INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The backup that was restored into this deployment; at most one. No job of cron runs until finished_at is set.
CREATE TABLE restores (
  id TEXT PRIMARY KEY NOT NULL, -- id of the backup
  started_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;

-- The files of that backup whose rows are written, so that an interrupted restore continues.
CREATE TABLE restored_files (
  file TEXT PRIMARY KEY NOT NULL
) STRICT;
