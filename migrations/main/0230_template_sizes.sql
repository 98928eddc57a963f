-- The sizes of the templates of a workspace, which are limited together, without their rows. Costs one more row written by each change of a size.
CREATE INDEX templates_by_size ON templates (workspace, size);
