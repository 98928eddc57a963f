-- Outbox rows of a restored backup. They wait until an operator releases them, because some of their work may have been done
-- after the backup (src/backups/release-held.ts). No run claims rows of this table, and the version before ignores it.
CREATE TABLE held_outbox (
  id TEXT PRIMARY KEY NOT NULL,
  due_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  token TEXT,
  claims INTEGER NOT NULL DEFAULT 0,
  outage TEXT,
  broadcast INTEGER
) STRICT;
