-- Budgets that the operator has raised, by the names of their tables.
ALTER TABLE shard_workspaces ADD COLUMN budgets TEXT NOT NULL DEFAULT '{}';
