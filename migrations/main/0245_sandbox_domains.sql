-- 1: a sub-domain of SANDBOX_DOMAIN, which sends to members of its workspace only and receives nothing.
ALTER TABLE domains ADD COLUMN is_sandbox INTEGER NOT NULL DEFAULT 0;
