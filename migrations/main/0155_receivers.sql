-- The mail systems behind the domains of recipients, as the egress named them. Kept for a day (src/sending/delivery/receiver-waits.ts).
CREATE TABLE receiver_domains (
  domain TEXT NOT NULL PRIMARY KEY,
  receiver TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;

-- Mail systems that take no mail until a time, in ms since 1970, from the egress or from that of bulk mail.
CREATE TABLE receiver_waits (
  receiver TEXT NOT NULL,
  is_bulk INTEGER NOT NULL,
  label TEXT NOT NULL,
  reason TEXT NOT NULL, -- the reply that caused it
  until INTEGER NOT NULL,
  PRIMARY KEY (receiver, is_bulk)
) STRICT, WITHOUT ROWID;
