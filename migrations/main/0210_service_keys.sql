-- Random keys of the service itself, each made once and encrypted under the master key.
CREATE TABLE service_keys (
  name TEXT NOT NULL PRIMARY KEY,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
