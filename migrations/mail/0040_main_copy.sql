-- The tables of accounts, domains and suppressions move to the main database. This database becomes the mail database 0;
-- other mail databases run the same migrations and never had such rows. A row here says that the copy is complete
-- (dev/copy-to-main.ts).
CREATE TABLE main_copy (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  copied_at INTEGER NOT NULL
) STRICT;
