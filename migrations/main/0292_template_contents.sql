-- Key of the R2 object that has html_body, text_body and blocks_json of the template, which are null then; null: the row has them.
ALTER TABLE templates ADD COLUMN content_key TEXT;
