import { isHeldSql } from "../../sending/emails/index.ts";
import type { MailStart } from "./read-page.ts";
import type { BackupStore } from "./stores.ts";

/** Where a repair continues: the step by its number, and the row after which the others are left. */
export interface RepairCursor {
  step: number;
  after: string | number;
}

/** Bounds of one call: emails, and rows whose counts are made again. Each count reads an index. */
const EMAILS_PER_CALL = 5_000;
const COUNTS_PER_CALL = 20;

/**
 * Repairs what a backup of a database in use cannot have exactly, since its tables were read one after the other. Does a bounded
 * part and returns where to continue; null at the end. Safe to repeat.
 */
export async function repairMail(
  store: BackupStore,
  start: MailStart,
  cursor: RepairCursor,
): Promise<RepairCursor | null> {
  const next = (after: string | number | null, first: string | number): RepairCursor =>
    after === null ? { step: cursor.step + 1, after: first } : { step: cursor.step, after };
  switch (cursor.step) {
    case 0:
      await repairBroadcasts(store, start);
      return next(null, 0);
    case 1:
      return next(await countBroadcast(store, start, cursor.after), 0);
    case 2:
      return next(await holdEmails(store, cursor.after), "");
    case 3:
      return next(await countAgain(store, "webhook_endpoints", cursor.after), 0);
    case 4:
      return next(await countAgain(store, "contact_lists", cursor.after), 0);
    default:
      return null;
  }
}

const RESET = `
  UPDATE broadcasts SET status = j.value->>'status', fan_out = j.value->>'fan_out', fan_out_step = j.value->>'fan_out_step'
    FROM json_each(?1) j WHERE broadcasts.n = j.value->>'n' AND status IN ('scheduled', 'sending', 'sent')`;

// Started after the backup began: its emails are not in the backup.
const UNDO = `
  UPDATE broadcasts SET status = 'draft', fan_out = NULL, fan_out_step = 0
   WHERE status = 'sending' AND automation IS NULL AND n NOT IN (SELECT value->>'n' FROM json_each(?1))`;

/** Sets the progress of broadcasts to that of the start of the backup, with which the emails agree. */
async function repairBroadcasts(store: BackupStore, { broadcasts, lastN }: MailStart): Promise<void> {
  const json = JSON.stringify(broadcasts);
  await store.batch([
    { sql: RESET, values: [json] },
    { sql: UNDO, values: [json] },
    { sql: "DELETE FROM broadcast_pages WHERE first_n > ?1", values: [lastN] },
  ]);
}

const countEvent = (type: string) =>
  `sum(EXISTS (SELECT 1 FROM json_each(e.events) j WHERE j.value->>'type' = '${type}'))`;

/** The counts of a broadcast by what its emails say (src/sending/emails/timeline/count-broadcasts.ts). */
const BROADCAST_COUNTS: Readonly<Record<string, string>> = {
  queued: "count(*)",
  attempted: "sum(e.attempts > 0 OR e.status <> 'queued')",
  delivered: "sum(e.status = 'delivered')",
  bounced: "sum(e.status = 'bounced')",
  failed: "sum(e.status IN ('failed', 'rejected'))",
  cancelled: "sum(e.status = 'cancelled')",
  opened: "sum(e.opened_count > 0)",
  clicked: "sum(e.clicked_count > 0)",
  unsubscribed: countEvent("unsubscribed"),
  complained: countEvent("complained"),
};
const found = (name: string) =>
  `coalesce((SELECT ${name} FROM found WHERE found.variant = broadcast_counts.variant), 0)`;

// The counts were read before the emails. Of a broadcast that had ended, retention may have deleted emails since: its counts stay
// then. `?2`: the broadcast had not ended, so that its emails decide, also when there are none.
const COUNT_EMAILS = `
  WITH found AS MATERIALIZED (
    SELECT coalesce(e.variant, 0) AS variant,
           ${Object.entries(BROADCAST_COUNTS)
             .map(([name, count]) => `${count} AS ${name}`)
             .join(", ")}
      FROM broadcasts b CROSS JOIN broadcast_pages p ON p.workspace = b.workspace AND p.broadcast = b.n
      CROSS JOIN emails e ON e.n BETWEEN p.first_n AND p.last_n AND e.broadcast = b.n
     WHERE b.n = ?1 GROUP BY coalesce(e.variant, 0))
  UPDATE broadcast_counts SET ${Object.keys(BROADCAST_COUNTS)
    .map((name) => `${name} = ${found(name)}`)
    .join(", ")}
   WHERE broadcast = ?1 AND (queued = ${found("queued")} OR broadcast IN (SELECT value->>'n' FROM json_each(?2))
     OR EXISTS (SELECT 1 FROM broadcasts WHERE n = ?1 AND status NOT IN ('sent', 'cancelled')))`;

/**
 * Counts the emails of the next broadcast again: outcomes and fan-outs went on while the tables were read one after the other.
 * Reads at most the emails of one broadcast. Returns its number, or null at the end.
 */
async function countBroadcast(store: BackupStore, { broadcasts }: MailStart, after: string | number) {
  const next = "SELECT min(broadcast) AS broadcast FROM broadcast_counts WHERE broadcast > ?1";
  const [rows = []] = await store.batch([{ sql: next, values: [after] }]);
  const broadcast = rows[0]?.broadcast ?? null;
  if (broadcast !== null) await store.batch([{ sql: COUNT_EMAILS, values: [broadcast, JSON.stringify(broadcasts)] }]);
  return broadcast;
}

// An egress may have held emails that are `sent`. The emails of one outbox row may be in two pages, so a row that exists gets the emails that it lacks.
const HOLD = `
  INSERT INTO held_outbox (id, due_at, kind, ref, claims, broadcast, workspace)
  SELECT coalesce(outbox_id, id), min(coalesce(scheduled_at, created_at)),
         CASE WHEN broadcast IS NULL THEN 'deliver' ELSE 'bulk' END, json_group_array(n), 1, broadcast, workspace
    FROM (SELECT * FROM emails WHERE n > ?1 AND n <= ?2)
   WHERE status IN ('queued', 'scheduled') OR (status = 'sent' AND ${isHeldSql("recipients")})
   GROUP BY coalesce(outbox_id, id)
  ON CONFLICT (id) DO UPDATE SET workspace = excluded.workspace, ref = (
    SELECT json_group_array(value) FROM (
      SELECT value FROM json_each(held_outbox.ref) UNION SELECT value FROM json_each(excluded.ref)))`;

// An earlier version gave the row of emails that were submitted together the id of the first one, whose own row has that id too. As
// in the migration 0225 of the mail databases, the shared one gets it with the version 8, which no email has.
const FREE_OUTBOX_IDS = `
  UPDATE emails SET outbox_id = substr(outbox_id, 1, 14) || '8' || substr(outbox_id, 16)
   WHERE n > ?1 AND n <= ?2 AND EXISTS (
     SELECT 1 FROM emails f WHERE f.workspace = emails.workspace AND f.id = emails.outbox_id)`;
const FREE_HELD_IDS = `
  UPDATE OR IGNORE held_outbox SET id = e.outbox_id FROM emails e
   WHERE e.n > ?1 AND e.n <= ?2 AND substr(e.outbox_id, 15, 1) = '8'
     AND held_outbox.id = substr(e.outbox_id, 1, 14) || '7' || substr(e.outbox_id, 16)
     AND held_outbox.ref <> json_array(e.n)`;

/** Adds a held outbox row for each email that has yet to be sent and has none. Returns the last email, or null at the end. */
function holdEmails(store: BackupStore, after: string | number): Promise<string | number | null> {
  const page = "SELECT max(n) AS last FROM (SELECT n FROM emails WHERE n > ?1 ORDER BY n LIMIT ?2)";
  return forPage(store, page, { after, limit: EMAILS_PER_CALL, sql: [FREE_OUTBOX_IDS, FREE_HELD_IDS, HOLD] });
}

/** Rows whose counts other rows decide: the statement that counts again those after `?1` up to `?2`, by their key. */
const counted = {
  webhook_endpoints: {
    key: "id",
    sql: `UPDATE webhook_endpoints SET ${["pending", "delivered", "retrying", "failed"]
      .map(
        (status) =>
          `${status} = (SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint = webhook_endpoints.id AND d.status = '${status}')`,
      )
      .join(", ")} WHERE id > ?1 AND id <= ?2`,
  },
  contact_lists: {
    key: "n",
    sql: `UPDATE contact_lists SET contact_count = (SELECT count(*) FROM contacts c WHERE c.list = contact_lists.n)
           WHERE n > ?1 AND n <= ?2`,
  },
};

/** Counts again for the next rows. Returns the key of the last, or null at the end. */
async function countAgain(store: BackupStore, table: keyof typeof counted, after: string | number) {
  const { key, sql } = counted[table];
  const findLast = `SELECT max(${key}) AS last FROM (SELECT ${key} FROM ${table} WHERE ${key} > ?1 ORDER BY ${key} LIMIT ?2)`;
  return forPage(store, findLast, { after, limit: COUNTS_PER_CALL, sql: [sql] });
}

/** Runs statements on the rows after a key, up to the one that `page` finds. Returns its key, or null at the end. */
async function forPage(
  store: BackupStore,
  page: string,
  { after, limit, sql }: { after: string | number; limit: number; sql: readonly string[] },
): Promise<string | number | null> {
  const [found = []] = await store.batch([{ sql: page, values: [after, limit] }]);
  const last = found[0]?.last ?? null;
  if (last !== null) await store.batch(sql.map((each) => ({ sql: each, values: [after, last] })));
  return last;
}

const COUNT_FOLDERS = `
  UPDATE folders SET (total, unseen, bytes, files, file_bytes) = (
    SELECT count(*), coalesce(sum(1 - seen), 0), coalesce(sum(size), 0), coalesce(sum(files), 0), coalesce(sum(file_bytes), 0)
      FROM messages WHERE folder = folders.id)`;

// UIDs that were given after the backup are given again, to other messages, so that clients must forget those that they know (RFC 3501 2.3.1.1).
const RENEW_UIDS = `
  UPDATE folders SET uidvalidity = max((SELECT max(uidvalidity) FROM folders), ?1) + id, expunged_after = modseq`;

/** Repairs the mailbox of a backup: counters of folders, and rows of messages that are gone. Its folders get a new uidvalidity. */
export async function repairMailbox(store: BackupStore, now: number): Promise<void> {
  const statements = [
    "DELETE FROM message_search WHERE rowid NOT IN (SELECT id FROM messages)",
    "DELETE FROM message_labels WHERE message NOT IN (SELECT id FROM messages) OR label NOT IN (SELECT id FROM labels)",
    COUNT_FOLDERS,
    "DELETE FROM expunged",
  ];
  await store.batch([
    ...statements.map((sql) => ({ sql, values: [] })),
    { sql: RENEW_UIDS, values: [Math.floor(now / 1000)] },
  ]);
}
