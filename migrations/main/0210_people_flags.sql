-- Bits 1 and 2 of `shard_workspaces.people` (migrations/mail/0180_events.sql), which copies them.
ALTER TABLE workspaces ADD COLUMN people INTEGER NOT NULL DEFAULT 0;
