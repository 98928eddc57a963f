-- The outbox as in the mail databases (migrations/mail/0260_outbox_key.sql).
CREATE TABLE outbox_by_id (
  id TEXT PRIMARY KEY NOT NULL,
  due_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL, -- object of the work
  token TEXT, -- the run that holds the lease
  claims INTEGER NOT NULL DEFAULT 0,
  outage TEXT,
  broadcast INTEGER,
  workspace INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO outbox_by_id (id, due_at, kind, ref, token, claims)
SELECT id, due_at, kind, ref, token, claims FROM outbox ORDER BY token IS NULL, due_at;
DROP TABLE outbox;
ALTER TABLE outbox_by_id RENAME TO outbox;
CREATE INDEX outbox_by_turn ON outbox (workspace, due_at) WHERE broadcast IS NULL;
CREATE INDEX outbox_by_broadcast ON outbox (broadcast, due_at) WHERE broadcast IS NOT NULL;
CREATE INDEX outbox_of_events ON outbox (ref) WHERE kind = 'events';
CREATE TRIGGER outbox_leased BEFORE UPDATE OF token ON outbox
WHEN NEW.token IS NOT OLD.token AND NEW.token IS NOT NULL AND NEW.leased_until = OLD.leased_until
 AND OLD.leased_until > 1000 * unixepoch('subsec')
BEGIN
  SELECT RAISE(IGNORE);
END;

CREATE TABLE quarantine (
  id TEXT PRIMARY KEY NOT NULL,
  due_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  claims INTEGER NOT NULL,
  broadcast INTEGER,
  workspace INTEGER NOT NULL,
  error TEXT NOT NULL,
  set_aside_at INTEGER NOT NULL
) STRICT;
ALTER TABLE held_outbox ADD COLUMN outage TEXT;
ALTER TABLE held_outbox ADD COLUMN broadcast INTEGER;
ALTER TABLE held_outbox ADD COLUMN workspace INTEGER NOT NULL DEFAULT 0;
