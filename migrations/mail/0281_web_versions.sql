-- The public address of a page with the content of a broadcast. Null: it has none.
ALTER TABLE broadcasts ADD COLUMN web_version_url TEXT;
