-- Emails that receivers have accepted from a source address, by day (days since 1970), for its warm-up. Kept for 60 days.
CREATE TABLE egress_volume (
  address TEXT NOT NULL,
  receiver TEXT NOT NULL,
  day INTEGER NOT NULL,
  emails INTEGER NOT NULL,
  PRIMARY KEY (address, receiver, day)
) STRICT, WITHOUT ROWID;
