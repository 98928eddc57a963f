-- What a transfer of a domain must wait for, or cancels.

-- +1 row for a scheduled email, until it is sent or cancelled; nothing for the others.
CREATE INDEX emails_scheduled_by_domain ON emails (domain_id) WHERE status = 'scheduled';
CREATE INDEX broadcasts_in_flight ON broadcasts (workspace, from_domain) WHERE status IN ('scheduled', 'sending');
