-- Further lists of a broadcast (JSON list of ids), and the contacts of its audience whose person is in a list before.
ALTER TABLE broadcasts ADD COLUMN more_lists TEXT CHECK (more_lists IS NULL OR json_valid(more_lists));
CREATE TABLE broadcast_repeated (
  broadcast INTEGER NOT NULL,
  contact INTEGER NOT NULL, -- contacts.n
  workspace INTEGER NOT NULL,
  PRIMARY KEY (broadcast, contact)
) STRICT, WITHOUT ROWID;
