-- Hosts of customers' domains that lead to the Worker, each a custom hostname of the zone of Cloudflare for SaaS.

CREATE TABLE custom_hosts (
  name TEXT PRIMARY KEY NOT NULL, -- A-label form, lower case
  purpose TEXT NOT NULL CHECK (purpose IN ('link', 'mta_sts')),
  domain_id TEXT, -- null: the domain is deleted, and the custom hostname is to be deleted
  workspace INTEGER NOT NULL, -- whose emails have links to it
  past_owners TEXT NOT NULL DEFAULT '[]', -- JSON: [number of a workspace, until when it owned the domain in ms], oldest first
  status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'failed', 'removing')),
  problem TEXT, -- why it is pending or failed, a key of src/domains/hosts/rules.ts
  hostname_id TEXT, -- id of the custom hostname at Cloudflare, once it is known
  created_at INTEGER NOT NULL,
  active_at INTEGER, -- since when it is active
  next_check_at INTEGER NOT NULL
) STRICT;
CREATE INDEX custom_hosts_to_check ON custom_hosts (next_check_at);
CREATE INDEX custom_hosts_by_domain ON custom_hosts (domain_id) WHERE domain_id IS NOT NULL;
CREATE INDEX custom_hosts_by_workspace ON custom_hosts (workspace);
