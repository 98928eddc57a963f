-- Deliveries to webhooks, written in the batch of the event that they tell of, and the endpoints that they go to.

-- An endpoint is a webhook of the main database, or a forwarding rule that posts to a URL. A run claims endpoints, not
-- deliveries, so the deliveries of one endpoint keep their order.
CREATE TABLE webhook_endpoints (
  id TEXT PRIMARY KEY NOT NULL,
  workspace INTEGER NOT NULL,
  version INTEGER NOT NULL, -- of the webhook
  events TEXT NOT NULL, -- JSON array; empty while the webhook is paused, once it is deleted, and for forwarding rules
  due_at INTEGER, -- the earliest due_at of its deliveries, or the end of the lease
  token TEXT, -- the run that holds the lease
  failing_since INTEGER, -- the first failed attempt since the last success
  gave_up_at INTEGER, -- a delivery failed for good and the owners are not notified of it yet
  pending INTEGER NOT NULL DEFAULT 0, -- numbers of its deliveries by status
  delivered INTEGER NOT NULL DEFAULT 0,
  retrying INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX webhook_endpoints_by_workspace ON webhook_endpoints (workspace);
-- +1 row written when an endpoint gets work, and for each claim and release.
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE webhook_deliveries (
  n INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL,
  workspace INTEGER NOT NULL,
  endpoint TEXT NOT NULL,
  webhook_id TEXT, -- null: a forwarding rule
  email TEXT NOT NULL, -- id of the email; its deliveries to an endpoint keep their order
  event_type TEXT NOT NULL,
  payload TEXT NOT NULL, -- the body of each request
  is_forced INTEGER NOT NULL DEFAULT 0 CHECK (is_forced IN (0, 1)), -- a test or a replay: sent to a paused webhook also
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'retrying', 'failed')),
  attempt INTEGER NOT NULL DEFAULT 0, -- requests made
  due_at INTEGER, -- null: finished, or held while the webhook is paused
  url TEXT, -- of the last request
  response_status INTEGER,
  response_body TEXT,
  error TEXT, -- why the last attempt failed
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX webhook_deliveries_by_id ON webhook_deliveries (workspace, id);
-- The delivery log, by status. +1 row written for a delivery and for each change of its status.
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (endpoint, status, n);
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (endpoint, due_at, n) WHERE due_at IS NOT NULL;

-- The counts answer `total` of the delivery log. A leased endpoint gets its due_at when the lease ends.
CREATE TRIGGER webhook_delivery_added AFTER INSERT ON webhook_deliveries BEGIN
  UPDATE webhook_endpoints SET
    pending = pending + (NEW.status = 'pending'), delivered = delivered + (NEW.status = 'delivered'),
    retrying = retrying + (NEW.status = 'retrying'), failed = failed + (NEW.status = 'failed'),
    due_at = CASE WHEN token IS NULL AND (due_at IS NULL OR due_at > NEW.due_at) THEN NEW.due_at ELSE due_at END
   WHERE id = NEW.endpoint;
END;
CREATE TRIGGER webhook_delivery_status AFTER UPDATE OF status ON webhook_deliveries WHEN OLD.status <> NEW.status BEGIN
  UPDATE webhook_endpoints SET
    pending = pending + (NEW.status = 'pending') - (OLD.status = 'pending'),
    delivered = delivered + (NEW.status = 'delivered') - (OLD.status = 'delivered'),
    retrying = retrying + (NEW.status = 'retrying') - (OLD.status = 'retrying'),
    failed = failed + (NEW.status = 'failed') - (OLD.status = 'failed')
   WHERE id = NEW.endpoint;
END;
CREATE TRIGGER webhook_delivery_deleted AFTER DELETE ON webhook_deliveries BEGIN
  UPDATE webhook_endpoints SET
    pending = pending - (OLD.status = 'pending'), delivered = delivered - (OLD.status = 'delivered'),
    retrying = retrying - (OLD.status = 'retrying'), failed = failed - (OLD.status = 'failed')
   WHERE id = OLD.endpoint;
END;
