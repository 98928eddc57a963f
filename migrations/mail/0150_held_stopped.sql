-- The column that outbox rows have since 0141: without it a restore could not write the rows of a stopped workspace.
ALTER TABLE held_outbox ADD COLUMN stopped INTEGER;
