-- An outbox row is found by its id, so no state has two rows of one id. A claim writes its token and the end of its lease, and leaves
-- due_at, which the index has: the lease of a row is fenced by the token alone. `workspace`: whose turn it is; 0: of no workspace.
CREATE TABLE outbox_by_id (
  id TEXT PRIMARY KEY NOT NULL,
  due_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL, -- object of the work; for `deliver` a JSON array of emails.n
  token TEXT, -- the run that holds the lease
  claims INTEGER NOT NULL DEFAULT 0,
  outage TEXT CHECK (outage IN ('waiting', 'released')),
  broadcast INTEGER,
  stopped INTEGER,
  workspace INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
-- Of two rows with one id that under a lease stays, or the first one.
INSERT OR IGNORE INTO outbox_by_id (id, due_at, kind, ref, token, claims, outage, broadcast, stopped, workspace)
SELECT o.id, o.due_at, o.kind, o.ref, o.token, o.claims, o.outage, o.broadcast, o.stopped,
       iif(o.kind IN ('deliver', 'bulk'), coalesce((SELECT e.workspace FROM emails e WHERE e.n = o.ref->>0), 0), 0)
  FROM outbox o ORDER BY o.token IS NULL, o.due_at;
DROP TABLE outbox;
ALTER TABLE outbox_by_id RENAME TO outbox;
CREATE INDEX outbox_by_turn ON outbox (workspace, due_at) WHERE broadcast IS NULL;
CREATE INDEX outbox_by_broadcast ON outbox (broadcast, due_at) WHERE broadcast IS NOT NULL;
CREATE INDEX outbox_by_outage ON outbox (outage, id) WHERE outage IS NOT NULL;
CREATE INDEX outbox_by_stopped ON outbox (stopped) WHERE stopped IS NOT NULL;
CREATE UNIQUE INDEX outbox_one_release ON outbox (kind) WHERE kind = 'release';
-- While version 0.2.0 runs beside this one, which knows no workspace: it adds the row of a later attempt before it deletes the claimed one,
-- which has the same id.
CREATE TRIGGER outbox_replaced BEFORE INSERT ON outbox
WHEN NEW.workspace = 0 AND NEW.kind IN ('deliver', 'bulk') AND EXISTS (SELECT 1 FROM outbox WHERE id = NEW.id AND token IS NOT NULL)
BEGIN
  UPDATE outbox SET due_at = NEW.due_at, ref = NEW.ref, token = NULL, leased_until = 0, claims = NEW.claims, outage = NEW.outage
   WHERE id = NEW.id;
  SELECT RAISE(IGNORE);
END;
-- And it takes a row whose due_at is over, although its lease is not.
CREATE TRIGGER outbox_leased BEFORE UPDATE OF token ON outbox
WHEN NEW.token IS NOT OLD.token AND NEW.token IS NOT NULL AND NEW.leased_until = OLD.leased_until
 AND OLD.leased_until > 1000 * unixepoch('subsec')
BEGIN
  SELECT RAISE(IGNORE);
END;

-- Rows whose claim alone failed by its content, until an operator tries or drops them.
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
ALTER TABLE held_outbox ADD COLUMN workspace INTEGER NOT NULL DEFAULT 0;

-- The outbox alone tells when an email is due. Version 0.2.0 reads emails.due_at.
DROP INDEX emails_deferred;
CREATE INDEX emails_tried ON emails (workspace, id) WHERE status = 'queued' AND attempts > 0;
