-- Bulk sends to a list are rows of broadcasts that the broadcast endpoints do not show.
-- Null: a broadcast. Otherwise the tags of the emails of a bulk send, a JSON list.
ALTER TABLE broadcasts ADD COLUMN bulk_tags TEXT;
