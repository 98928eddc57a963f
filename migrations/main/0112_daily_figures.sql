-- What was counted in a day (UTC), as JSON: count by name, for GET /metrics. +1 row written for each isolate and minute with work.
CREATE TABLE daily_figures (
  day INTEGER PRIMARY KEY NOT NULL,
  figures TEXT NOT NULL
) STRICT;
