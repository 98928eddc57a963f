-- The operator has shut the workspace: its keys and sign-ins are refused until it is resumed. In ms since 1970.
ALTER TABLE workspaces ADD COLUMN shut_at INTEGER;
