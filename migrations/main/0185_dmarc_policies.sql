-- The DMARC policy that the service publishes for a delegated domain.
ALTER TABLE domains ADD COLUMN dmarc_policy TEXT NOT NULL DEFAULT 'none' CHECK (dmarc_policy IN ('none', 'quarantine', 'reject'));
