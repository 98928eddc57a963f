-- Renames columns and an index. No data changes.
ALTER TABLE emails RENAME COLUMN work TO outbox_id;
ALTER TABLE emails RENAME COLUMN content_at TO content_offset;
DROP INDEX emails_put_off;
CREATE INDEX emails_deferred ON emails (workspace, id) WHERE status = 'queued' AND due_at > created_at;

ALTER TABLE domains RENAME COLUMN tree_key TO reversed_name;
ALTER TABLE domains RENAME COLUMN check_at TO next_check_at;
ALTER TABLE domains RENAME COLUMN failed_days TO failed_checks;

ALTER TABLE dead_letters RENAME COLUMN died_at TO recorded_at;
