-- When a queue message last had the mail databases swept that begin with this one, in milliseconds since 1970. Cron sweeps
-- them itself when the messages are lost.
ALTER TABLE mail_shards ADD COLUMN swept_at INTEGER NOT NULL DEFAULT 0;
