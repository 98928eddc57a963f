-- Mail that arrived for the hosted mailboxes of a workspace (specification: Inbound log entry). The message itself is in the
-- mailbox. `id` is derived from the delivery, so a repeated one adds no row.
-- `n` grows with time, so the oldest rows come first.
CREATE TABLE inbound_emails (
  n INTEGER PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  mailbox_id TEXT NOT NULL,
  domain_id TEXT NOT NULL,
  message_id TEXT,
  from_address TEXT NOT NULL,
  from_name TEXT,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  text_preview TEXT NOT NULL,
  attachment_count INTEGER NOT NULL,
  authentication TEXT NOT NULL,
  events TEXT NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX inbound_emails_by_id ON inbound_emails (workspace, id);
