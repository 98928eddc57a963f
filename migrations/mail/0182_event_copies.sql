-- Set for an event in a database that is not the first of its workspace, until it is copied there. The index has no others.
ALTER TABLE events ADD COLUMN copying INTEGER;
CREATE INDEX events_to_copy ON events (workspace, n) WHERE copying IS NOT NULL;

-- Whatever statement stores such an event, one outbox row of its workspace copies it.
CREATE TRIGGER event_to_copy AFTER INSERT ON events WHEN NEW.copying IS NOT NULL BEGIN
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref)
  SELECT NEW.created_at, printf('events-%d', NEW.workspace), 'events', json_array(NEW.workspace)
   WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'events' AND ref = json_array(NEW.workspace));
END;
