-- Of the row that has the content of the emails of a step: the id of its automation and the path of the step, such as 1.then_steps.0.
-- Copies of the row in further mail databases have them too.
ALTER TABLE broadcasts ADD COLUMN automation_id TEXT;
ALTER TABLE broadcasts ADD COLUMN automation_step TEXT;
