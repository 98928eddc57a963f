-- Messages that were submitted together shared an outbox row with the id of the first one, which a row of its own has too when it is
-- tried again: two rows with one id cannot have one lease. A shared row gets its id with the version 8, which no email has.
UPDATE outbox SET id = substr(id, 1, 14) || '8' || substr(id, 16)
 WHERE kind = 'deliver' AND EXISTS (
   SELECT 1 FROM json_each(outbox.ref) r CROSS JOIN emails e ON e.n = r.value CROSS JOIN emails f ON f.workspace = e.workspace AND f.id = e.outbox_id
    WHERE e.outbox_id = outbox.id AND f.n <> e.n);
UPDATE held_outbox SET id = substr(id, 1, 14) || '8' || substr(id, 16)
 WHERE kind = 'deliver' AND EXISTS (
   SELECT 1 FROM json_each(held_outbox.ref) r CROSS JOIN emails e ON e.n = r.value CROSS JOIN emails f ON f.workspace = e.workspace AND f.id = e.outbox_id
    WHERE e.outbox_id = held_outbox.id AND f.n <> e.n);
UPDATE emails SET outbox_id = o.id
  FROM (SELECT id, ref FROM outbox UNION ALL SELECT id, ref FROM held_outbox) o CROSS JOIN json_each(o.ref) r
 WHERE emails.n = r.value AND substr(o.id, 15, 1) = '8' AND emails.outbox_id = substr(o.id, 1, 14) || '7' || substr(o.id, 16);
