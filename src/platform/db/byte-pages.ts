/** Returns SQL of the bytes of columns of a row. octet_length() reads no payload. */
export const bytesSql = (...columns: string[]) =>
  columns.map((name) => `coalesce(octet_length(${name}), 0)`).join(" + ");

/**
 * Returns SQL of the first rows of a page, a SELECT with a column `bytes`, in its order: those of `most` bytes together, and one at least.
 * Their column `found` has the number of rows of the page.
 */
export const withinBytes = (page: string, most: number) => `
  SELECT * FROM (SELECT *, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS total, count(*) OVER () AS found FROM (${page}))
   WHERE total <= ${most} OR total = bytes`;

/** Bytes that one statement deletes: some milliseconds of work, however wide its rows are. */
const DELETED_BYTES = 8_000_000;

/** Columns that make rows wide, by table. */
const WIDE: Readonly<Record<string, readonly string[]>> = {
  automation_runs: ["data", "history", "intent"],
  automation_versions: ["definition"],
  automations: ["definition"],
  broadcast_parts: ["parts"],
  broadcast_variants: ["html_body", "text_body"],
  broadcasts: ["html_body", "text_body"],
  contacts: ["metadata"],
  dead_letters: ["body"],
  emails: ["recipients", "events", "content", "variables"],
  events: ["data"],
  idempotency_keys: ["answer"],
  inbound_emails: ["events"],
  templates: ["html_body", "text_body", "blocks_json"],
  webhook_deliveries: ["payload", "response_body"],
};

/** Returns SQL of rows that one statement deletes, with `total` and `found` as `withinBytes`: `rest` of a SELECT, with its LIMIT, finds them. */
export const deletedRows = (table: string, columns: string, rest: string) =>
  withinBytes(`SELECT ${columns}, ${bytesSql(...(WIDE[table] ?? []))} AS bytes FROM ${table} ${rest}`, DELETED_BYTES);

/** Returns SQL of their keys. */
export const deletedKeys = (table: string, key: string, rest: string) =>
  `SELECT ${key} FROM ${WIDE[table] ? `(${deletedRows(table, key, rest)})` : `${table} ${rest}`}`;

/** Returns the statement that deletes them. None is left when it deletes none. */
export const deletePage = (table: string, key: string, rest: string) =>
  `DELETE FROM ${table} WHERE (${key}) IN (${deletedKeys(table, key, rest)})`;
