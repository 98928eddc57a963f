-- One row. `n`: the greatest emails.n whose content was moved from its row to R2.
CREATE TABLE content_progress (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  n INTEGER NOT NULL
) STRICT;
INSERT INTO content_progress (id, n) VALUES (1, 0);
