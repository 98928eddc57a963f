-- JSON {"address", "name", "subject"} of the sender and the subject without case, for searches: SQLite folds the case of ASCII letters
-- only. Null: all three are ASCII, or the row is of an earlier version.
ALTER TABLE inbound_emails ADD COLUMN folded TEXT;
