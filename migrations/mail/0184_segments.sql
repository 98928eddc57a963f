-- Segments: saved conditions over the people of a workspace, in its first mail database.
CREATE TABLE segments (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  conditions TEXT NOT NULL, -- JSON
  segments TEXT NOT NULL DEFAULT '[]', -- JSON list of the ids of the segments in them
  count TEXT, -- JSON: the last count and its progress
  count_step INTEGER NOT NULL DEFAULT 0, -- compared by each step of a count
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX segments_by_id ON segments (workspace, id);

-- When a person last received, opened and clicked an email of this database, while the workspace keeps activity.
CREATE TABLE person_activity (
  workspace INTEGER NOT NULL,
  email_key TEXT NOT NULL,
  received_at INTEGER,
  opened_at INTEGER,
  clicked_at INTEGER,
  broadcasts TEXT NOT NULL DEFAULT '{}', -- JSON object: r, o or c with the number of a broadcast (r12)
  PRIMARY KEY (workspace, email_key)
) STRICT, WITHOUT ROWID;

-- Since when activity is kept without a gap. Null: it is not kept.
ALTER TABLE shard_workspaces ADD COLUMN activity_since INTEGER;
