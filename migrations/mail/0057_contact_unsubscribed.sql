-- Copied like `suppressed`: 1 when the address has unsubscribed, also when it bounced or complained besides.
ALTER TABLE contacts ADD COLUMN unsubscribed INTEGER NOT NULL DEFAULT 0;
UPDATE contacts SET unsubscribed = 1 WHERE suppressed = 'unsubscribe';
