-- The segment of a broadcast (its id), and the contacts of its audience: one for each person of the segment.
ALTER TABLE broadcasts ADD COLUMN segment_id TEXT;
CREATE INDEX broadcasts_by_segment ON broadcasts (workspace, segment_id) WHERE segment_id IS NOT NULL;
CREATE TABLE broadcast_members (
  broadcast INTEGER NOT NULL,
  contact INTEGER NOT NULL, -- contacts.n
  workspace INTEGER NOT NULL,
  PRIMARY KEY (broadcast, contact)
) STRICT, WITHOUT ROWID;
