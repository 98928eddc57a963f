-- The newest inbound emails of a workspace, for searches.
CREATE INDEX inbound_emails_by_workspace ON inbound_emails (workspace, n);
