-- How the service itself promotes a variant (JSON), and the sentence why a variant was promoted by it.
ALTER TABLE broadcasts ADD COLUMN ab_auto_promote TEXT CHECK (ab_auto_promote IS NULL OR json_valid(ab_auto_promote));
ALTER TABLE broadcasts ADD COLUMN ab_promotion_reason TEXT;
