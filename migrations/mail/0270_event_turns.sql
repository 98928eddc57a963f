-- Events that the engine of automations has not read, in turns of workspaces. Only those of workspaces whose people may be inside.
CREATE TABLE unread_events (
  workspace INTEGER NOT NULL,
  n INTEGER NOT NULL, -- events.n
  automation INTEGER NOT NULL DEFAULT 0, -- automations.n up to which the event was read
  not_before INTEGER NOT NULL DEFAULT 0, -- a page failed by it alone
  PRIMARY KEY (workspace, n)
) STRICT, WITHOUT ROWID;
INSERT INTO unread_events (workspace, n) SELECT workspace, n FROM events WHERE n > (SELECT last_event FROM automation_engine);
-- automation_engine.last_event: no event up to it is unread. A restore inserts events that were read.
CREATE TRIGGER event_added AFTER INSERT ON events
  WHEN NEW.n > (SELECT last_event FROM automation_engine)
   AND EXISTS (SELECT 1 FROM automations WHERE workspace = NEW.workspace AND status IN ('active', 'paused')) BEGIN
  INSERT INTO unread_events (workspace, n) VALUES (NEW.workspace, NEW.n);
END;
CREATE TRIGGER event_deleted AFTER DELETE ON events BEGIN
  DELETE FROM unread_events WHERE workspace = OLD.workspace AND n = OLD.n;
END;
-- Runs that are due are found in turns of workspaces, too. It has as many rows written as the index that it replaces.
CREATE INDEX automation_runs_turns ON automation_runs (workspace, due_at) WHERE due_at IS NOT NULL;
DROP INDEX automation_runs_by_due;
-- An event wakes the runs of its person that wait for it, without reading the others.
CREATE INDEX automation_runs_by_wait ON automation_runs (workspace, email_key, wait_event) WHERE wait_event IS NOT NULL;
