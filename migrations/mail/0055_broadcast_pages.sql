-- The emails of broadcasts are found by the pages that the fan-out made, one row for up to 1,000 emails, instead of by an
-- index that costs a row for every email. The emails of a page are inserted in one transaction, so their n follow each
-- other. Emails that have taken over the n of deleted ones may be between them: readers compare emails.broadcast.
-- That nobody gets two emails follows from broadcasts.fan_out_step, which every page changes by compare-and-set.
CREATE TABLE broadcast_pages (
  workspace INTEGER NOT NULL,
  broadcast INTEGER NOT NULL, -- broadcasts.n
  last_n INTEGER NOT NULL, -- emails.n
  first_n INTEGER NOT NULL, -- emails.n
  PRIMARY KEY (workspace, broadcast, last_n)
) STRICT, WITHOUT ROWID;

INSERT INTO broadcast_pages (workspace, broadcast, last_n, first_n)
SELECT workspace, broadcast, max(n), min(n) FROM (
  SELECT workspace, broadcast, n, n - row_number() OVER (PARTITION BY broadcast ORDER BY n) AS gap
    FROM emails WHERE broadcast IS NOT NULL)
 GROUP BY workspace, broadcast, gap;

DROP INDEX emails_by_broadcast;
