-- The topic of a broadcast or bulk send (its id), and of an email (topics.n in the main database).
ALTER TABLE broadcasts ADD COLUMN topic_id TEXT;
ALTER TABLE emails ADD COLUMN topic INTEGER;
