-- Retention finds the addresses whose last retry is older than the emails that it keeps.
CREATE INDEX retried_addresses_by_newest ON retried_addresses (newest);
