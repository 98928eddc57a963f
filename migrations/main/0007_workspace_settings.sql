-- The Slack webhook of a workspace, encrypted (src/lib/secret-box.ts): whoever knows the URL can post to the channel.
ALTER TABLE workspaces ADD COLUMN slack_webhook_url TEXT;

-- Finds the sessions that end with a membership or a workspace.
CREATE INDEX sessions_by_workspace ON sessions (workspace, user_id);
