-- Which channels a user wants for each category of notifications, as a JSON object. A flag that is missing has its default.
CREATE TABLE notification_preferences (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  preferences TEXT NOT NULL
) STRICT;

-- Events that notify once, by the key that names them: a repeated step or a second alert of a day finds its row. `id` is a
-- UUIDv7, so old rows are deleted by range.
CREATE TABLE notified_events (
  workspace INTEGER NOT NULL REFERENCES workspaces (number),
  key TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX notified_events_by_id ON notified_events (id);
