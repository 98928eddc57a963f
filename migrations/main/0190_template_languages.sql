-- The language of a template's subject and bodies. Of a Liquid one, lists in JSON: the names of the templates that it renders, and the
-- values that it reads.
ALTER TABLE templates ADD COLUMN language TEXT NOT NULL DEFAULT 'placeholders' CHECK (language IN ('placeholders', 'liquid'));
ALTER TABLE templates ADD COLUMN parts TEXT CHECK (parts IS NULL OR json_valid(parts));
ALTER TABLE templates ADD COLUMN variables TEXT CHECK (variables IS NULL OR json_valid(variables));
CREATE INDEX templates_by_name ON templates (workspace, name, updated_at);
