-- Each workspace has one mail database, so no event is copied to another. The column events.copying stays, always NULL: a version before
-- this one writes it.
DROP TRIGGER event_to_copy;
DROP INDEX events_to_copy;
DROP INDEX outbox_of_events;
