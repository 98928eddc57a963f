-- Whether mail for a domain shall be received here, as its owner says: null is not said. So it is where the MX records lead here or a mailbox
-- has mail.
ALTER TABLE domains ADD COLUMN receives INTEGER;
UPDATE domains SET receives = 1
 WHERE records ->> '$.mx' = 'verified' OR EXISTS (SELECT 1 FROM mailboxes m WHERE m.domain_id = domains.id AND m.used_bytes > 0);
