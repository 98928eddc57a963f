-- Source addresses of egresses and their warm-ups, as the egresses have told. Forgotten three days after the last call.
CREATE TABLE egress_warm_ups (
  address TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL, -- EGRESS_NAME in lower case
  is_warming INTEGER NOT NULL,
  since INTEGER, -- first day of all receivers, in ms since 1970; null: of each receiver its first day with mail
  seen_at INTEGER NOT NULL
) STRICT;
