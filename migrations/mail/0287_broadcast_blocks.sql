-- The data of the block editor, as that of templates. Sends read html_body and text_body only.
ALTER TABLE broadcasts ADD COLUMN blocks_json TEXT;
