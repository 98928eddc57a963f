-- Broadcasts, their variants and their counts. Times are milliseconds since 1970.

-- n: key of the counts and emails of the broadcast. AUTOINCREMENT, so that the number of a deleted broadcast, whose
-- emails stay, is never reused. The bodies are the last columns, so that reads of the others skip their pages.
CREATE TABLE broadcasts (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'scheduled', 'sending', 'sent', 'cancelled')),
  version INTEGER NOT NULL DEFAULT 0, -- incremented by every call that changes the broadcast, for compare-and-set
  user_id TEXT NOT NULL,
  contact_list_id TEXT,
  mailbox_id TEXT,
  name TEXT NOT NULL,
  subject TEXT NOT NULL,
  preheader TEXT,
  from_address TEXT NOT NULL,
  from_domain TEXT NOT NULL, -- domain of from_address in A-labels
  reply_to TEXT,
  scheduled_at INTEGER,
  sent_at INTEGER,
  ab_test_pct INTEGER,
  ab_winner_variant_id TEXT,
  ab_promoted_at INTEGER,
  max_per_hour INTEGER,
  paused_at INTEGER,
  fan_out TEXT, -- JSON: the audience, fixed at the first send, and what has been sent to it (src/broadcasts/fan-out.ts)
  fan_out_step INTEGER NOT NULL DEFAULT 0, -- incremented by every change of fan_out, for compare-and-set
  size INTEGER NOT NULL, -- octets of the broadcast as JSON; a page of the list ends by size
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  html_body TEXT,
  text_body TEXT
) STRICT;
CREATE UNIQUE INDEX broadcasts_by_id ON broadcasts (workspace, id);

CREATE TABLE broadcast_variants (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  workspace INTEGER NOT NULL,
  broadcast INTEGER NOT NULL, -- broadcasts.n
  id TEXT NOT NULL,
  label TEXT NOT NULL,
  subject TEXT NOT NULL,
  weight INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  html_body TEXT,
  text_body TEXT
) STRICT;
CREATE UNIQUE INDEX broadcast_variants_by_id ON broadcast_variants (broadcast, id);
CREATE UNIQUE INDEX broadcast_variants_by_label ON broadcast_variants (broadcast, label);

-- Counts of the emails of each variant; variant 0 is the broadcast's own content.
CREATE TABLE broadcast_counts (
  broadcast INTEGER NOT NULL,
  variant INTEGER NOT NULL,
  workspace INTEGER NOT NULL,
  queued INTEGER NOT NULL DEFAULT 0, -- emails made
  attempted INTEGER NOT NULL DEFAULT 0, -- emails that had a delivery attempt, or will have none
  delivered INTEGER NOT NULL DEFAULT 0,
  bounced INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL DEFAULT 0,
  clicked INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (broadcast, variant)
) STRICT, WITHOUT ROWID;

-- Clicks by people of each link, as its author wrote it.
CREATE TABLE broadcast_clicks (
  broadcast INTEGER NOT NULL,
  url TEXT NOT NULL,
  workspace INTEGER NOT NULL,
  clicks INTEGER NOT NULL,
  PRIMARY KEY (broadcast, url)
) STRICT, WITHOUT ROWID;

-- Contacts of an audience that get no email, and why.
CREATE TABLE broadcast_skipped (
  broadcast INTEGER NOT NULL,
  contact INTEGER NOT NULL, -- contacts.n
  workspace INTEGER NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('suppressed', 'unsubscribed', 'invalid')),
  PRIMARY KEY (broadcast, contact)
) STRICT, WITHOUT ROWID;
