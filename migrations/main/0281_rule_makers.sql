-- The user who saved the rule last. NULL: saved before this.
ALTER TABLE forwarding_rules ADD COLUMN user_id TEXT;
