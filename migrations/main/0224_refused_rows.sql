-- Rows of a file that the database refused, so that a restore that was interrupted still says how many were not written.
ALTER TABLE restored_files ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
