-- The request that an email was accepted with, for the log lines of its claim, its outcomes and its webhooks. Null for emails of
-- broadcasts and of earlier versions. Adds no row written: it is a column of the row that the accept inserts.
ALTER TABLE emails ADD COLUMN request_id TEXT;
