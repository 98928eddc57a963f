-- The header of each page counts the unread notifications of its user.
CREATE INDEX notifications_unread ON notifications (workspace, user_id) WHERE read_at IS NULL;
