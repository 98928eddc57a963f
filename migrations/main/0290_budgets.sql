-- Budgets that the operator has raised, by the names of their tables.
ALTER TABLE workspaces ADD COLUMN budgets TEXT NOT NULL DEFAULT '{}';
