-- The language of the next confirmation mail of an address, such as `de`. Null: English.
ALTER TABLE confirmations ADD COLUMN language TEXT;
