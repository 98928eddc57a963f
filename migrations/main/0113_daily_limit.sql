-- Emails that a workspace may have accepted in a day (UTC); 0: no limit. Null: the limit of the deployment, DAILY_EMAIL_LIMIT.
ALTER TABLE workspaces ADD COLUMN daily_limit INTEGER CHECK (daily_limit >= 0);
