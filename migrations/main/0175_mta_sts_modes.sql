-- The mode of each MTA-STS policy (RFC 8461), in the row of the host that serves it: the row outlives its domain.
ALTER TABLE custom_hosts ADD COLUMN policy_mode TEXT CHECK (policy_mode IN ('testing', 'enforce', 'none')); -- null: a host of links
ALTER TABLE custom_hosts ADD COLUMN policy_since INTEGER; -- when the mode began, in ms since 1970
ALTER TABLE custom_hosts ADD COLUMN policy_is_held INTEGER NOT NULL DEFAULT 0; -- 1: an owner chose testing, so it is not enforced by itself
ALTER TABLE custom_hosts ADD COLUMN policy_kept_until INTEGER; -- until when a sender may keep a policy that enforces; null: there was none
ALTER TABLE custom_hosts ADD COLUMN policy_due_at INTEGER; -- next time at which it may be enforced by itself
ALTER TABLE custom_hosts ADD COLUMN policy_blocker TEXT; -- why it was not, a key of src/domains/hosts/policy-rules.ts
UPDATE custom_hosts SET policy_mode = 'testing', policy_since = created_at WHERE purpose = 'mta_sts';
UPDATE custom_hosts SET policy_due_at = created_at + 1209600000 WHERE purpose = 'mta_sts' AND domain_id IS NOT NULL;
CREATE INDEX custom_hosts_policy_due ON custom_hosts (policy_due_at) WHERE policy_due_at IS NOT NULL;
