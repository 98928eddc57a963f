-- `swept_n`: the greatest emails.n up to which all content was moved to R2. Up to `n`, only that of workspaces with several
-- emails was; an object for each lone email would cost more than its place in the database for some days.
ALTER TABLE content_progress ADD COLUMN swept_n INTEGER NOT NULL DEFAULT 0;
UPDATE content_progress SET swept_n = n;
