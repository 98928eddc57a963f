-- The metadata of contacts that names their time zone, for a broadcast that leaves at the same time of day everywhere.
ALTER TABLE broadcasts ADD COLUMN local_time_field TEXT;
