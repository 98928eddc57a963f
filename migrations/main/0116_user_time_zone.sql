-- The IANA time zone in which pages show times to a user. NULL: that of the browser.
ALTER TABLE users ADD COLUMN time_zone TEXT;
