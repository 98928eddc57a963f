-- When the round of the sweep of objects began, and the round before it, in milliseconds since 1970: a pack is compared with its rows in
-- the first round that finds it old enough.
ALTER TABLE object_sweep ADD COLUMN round_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE object_sweep ADD COLUMN previous_round_at INTEGER NOT NULL DEFAULT 0;
