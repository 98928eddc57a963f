-- 1: emails of a broadcast without a text leave with one that is made from their HTML. Broadcasts that exist stay as they are.
ALTER TABLE broadcasts ADD COLUMN text_from_html INTEGER NOT NULL DEFAULT 0;
