-- The language of subject and bodies; null for a variant: that of its broadcast.
ALTER TABLE broadcasts ADD COLUMN language TEXT NOT NULL DEFAULT 'placeholders' CHECK (language IN ('placeholders', 'liquid'));
ALTER TABLE broadcast_variants ADD COLUMN language TEXT CHECK (language IN ('placeholders', 'liquid'));

-- The texts of the templates that the content of a broadcast renders, as they were when its send began.
CREATE TABLE broadcast_parts (
  broadcast INTEGER NOT NULL PRIMARY KEY,
  workspace INTEGER NOT NULL,
  parts TEXT NOT NULL CHECK (json_valid(parts))
) STRICT;
