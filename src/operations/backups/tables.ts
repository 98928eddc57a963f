import type { BackupStore, StoreRow } from "./stores.ts";

/** A table of a backup, as its database has it. */
export interface TableShape {
  name: string;
  columns: string[];
  /** Columns of the primary key, by which pages are read. */
  key: string[];
  /** A full-text table that stores its texts; it has no primary key but the row number. */
  isVirtual: boolean;
  /** Tables whose rows must exist first. */
  references: string[];
}

/**
 * Tables that no backup has: the record of migrations, which is compared instead; runs of cron, metrics and outages of
 * the deployment; and what a restore writes itself. The index of emails is made anew from the emails.
 */
const LEFT_OUT = [
  "d1_migrations",
  "migrations",
  "cron_runs",
  "daily_figures",
  "egress_outages",
  "egress_probe",
  "outage_workspaces",
  "rate_snapshots",
  "restores",
  "restored_files",
  "email_search",
];

const LIST = `
  SELECT name, sql LIKE 'CREATE VIRTUAL%' AS is_virtual FROM sqlite_master
   WHERE type = 'table' AND name NOT GLOB '[_]*' AND name NOT GLOB 'sqlite_*' ORDER BY name`;
const COLUMNS = "SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid";
const REFERENCES = `SELECT DISTINCT "table" AS name FROM pragma_foreign_key_list(?1)`;
/** Returns the tables of a database that a backup has. All are STRICT, with integers and texts only, as a test checks. */
export async function describeTables(store: BackupStore): Promise<TableShape[]> {
  const [tables = []] = await store.batch([{ sql: LIST, values: [] }]);
  const virtual = tables.filter(({ is_virtual }) => is_virtual === 1).map(({ name }) => `${name}_`);
  const names = tables.filter(
    ({ name }) => !LEFT_OUT.includes(String(name)) && !virtual.some((prefix) => String(name).startsWith(prefix)),
  );
  const shapes = await store.batch(
    names.flatMap(({ name = null }) => [COLUMNS, REFERENCES].map((sql) => ({ sql, values: [name] }))),
  );
  return names.map((table, at) => toShape(table, shapes[2 * at] ?? [], shapes[2 * at + 1] ?? []));
}

function toShape({ name, is_virtual }: StoreRow, columns: readonly StoreRow[], references: readonly StoreRow[]) {
  const isVirtual = is_virtual === 1;
  const key = columns.filter(({ pk }) => Number(pk) > 0).toSorted((a, b) => Number(a.pk) - Number(b.pk));
  const names = columns.map((column) => String(column.name));
  return {
    name: String(name),
    columns: isVirtual ? ["rowid", ...names] : names,
    key: isVirtual ? ["rowid"] : key.map((column) => String(column.name)),
    isVirtual,
    references: references.map((reference) => String(reference.name)).filter((one) => one !== name),
  };
}

/** Returns the applied migrations of a database, or the version of the schema of a mailbox. */
export async function listMigrations(store: BackupStore, name: string): Promise<string[]> {
  const sql = name.startsWith("mailbox-")
    ? "SELECT version AS name FROM migrations ORDER BY version"
    : "SELECT name FROM d1_migrations ORDER BY name";
  const [rows = []] = await store.batch([{ sql, values: [] }]);
  return rows.map((row) => String(row.name));
}
