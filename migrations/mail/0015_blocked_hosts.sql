-- Hosts to which tracking links do not redirect (decisions 4, Tracking). A row also blocks the sub-domains of its host.
-- Read by key only: one seek for the host of a link and one for each parent domain, at most 127.
CREATE TABLE blocked_hosts (
  host TEXT PRIMARY KEY NOT NULL CHECK (length(host) BETWEEN 1 AND 253 AND host = lower(host)), -- A-labels in lower case
  created_at INTEGER NOT NULL
) STRICT;
