-- Fails with "malformed JSON" while this database has workspaces that were not copied to the main database.
SELECT CASE WHEN EXISTS (SELECT 1 FROM workspaces) AND NOT EXISTS (SELECT 1 FROM main_copy)
  THEN json('copy the tables to the main database first') END;

DROP TABLE sessions;
DROP TABLE refresh_tokens;
DROP TABLE templates;
DROP TABLE saved_searches;
DROP TABLE notifications;
DROP TABLE mailbox_assignees;
DROP TABLE mailboxes;
DROP TABLE dkim_keys;
DROP TABLE domains;
DROP TABLE api_keys;
DROP TABLE memberships;
DROP TABLE workspaces;
DROP TABLE users;
DROP TABLE suppressions;
DROP TABLE domain_failures;
DROP TABLE blocked_hosts;
DROP TABLE dead_letters;
DROP TABLE object_sweep;
DROP TABLE main_copy;
