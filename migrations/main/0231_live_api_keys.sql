-- API keys of a workspace that are neither revoked nor replaced, by their expiry, to count those that are valid. Costs one more row written by
-- a creation, a rotation and a revocation.
CREATE INDEX api_keys_live ON api_keys (workspace, expires_at) WHERE revoked_at IS NULL AND replaced_by_id IS NULL;
