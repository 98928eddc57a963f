-- What is wrong with a domain: a JSON array of findings (src/domains/health/finding.ts), written when it changes. Null: not examined yet.
ALTER TABLE domains ADD COLUMN health TEXT;
