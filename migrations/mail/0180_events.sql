-- Events of persons: those that callers send and those that the service records (docs/contract/events.md#send-events). They are read in the
-- order of `n` in the first mail database of a workspace; another one keeps them only until they are copied there.
CREATE TABLE events (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  email_key TEXT NOT NULL, -- canonical address, as contacts.email_key
  name TEXT NOT NULL,
  data TEXT NOT NULL, -- JSON object
  occurred_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
-- A repeated statement inserts no event twice. The copy reads the events of one workspace by it.
CREATE UNIQUE INDEX events_by_id ON events (workspace, id);
-- The events of a person, newest first, and those of one name since another event, without reading other rows.
CREATE INDEX events_by_person ON events (workspace, email_key, n, name);

-- Bits: 1 activity is kept, 2 events of the service are recorded, 4 another mail database is the first of the workspace,
-- 8 the bits 1 and 2 were not read from the main database yet (src/platform/db/people-flags.ts).
ALTER TABLE shard_workspaces ADD COLUMN people INTEGER NOT NULL DEFAULT 0;

-- Finds whether the events of a workspace wait already for their copy to its first mail database.
CREATE INDEX outbox_of_events ON outbox (ref) WHERE kind = 'events';
