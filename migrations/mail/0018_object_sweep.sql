-- One row. `checked_key`: the last R2 key that the sweep of objects without rows has checked; empty at the start of a round.
CREATE TABLE object_sweep (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  checked_key TEXT NOT NULL
) STRICT;
INSERT INTO object_sweep (id, checked_key) VALUES (1, '');
