-- The events that wait to be stored in a mail database, by workspace and person: their `ref` begins with both.
CREATE INDEX outbox_of_events ON outbox (ref) WHERE kind = 'events';
