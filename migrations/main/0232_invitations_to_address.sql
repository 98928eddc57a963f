-- The invitations of a person, whatever workspace they are from, which the dashboard shows after sign-in.
CREATE INDEX invitations_to_address ON invitations (email_key, expires_at);
