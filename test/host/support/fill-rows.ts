/**
 * Rows for every table of a database, made from its schema alone, so that each migration meets tables that have rows. A value
 * depends on the type of its column and a serial number, so a foreign key names the row of its parent with the same number.
 */

interface Column {
  name: string;
  type: string;
  isRequired: boolean;
  /** Table and column of a foreign key. */
  references: { table: string; column: string } | null;
  /** Values that a CHECK allows, as SQL literals; empty if there is no CHECK. */
  allowed: string[];
}

interface Table {
  name: string;
  columns: Column[];
  /** True for a table with one row (`CHECK (id = 1)`). */
  isSingle: boolean;
}

/** Runs statements on a database in one transaction and returns the rows of each. */
export type RunSql = (statements: readonly string[]) => Promise<unknown[][]>;

/** Values of columns whose form a migration depends on. */
const FORMS: Readonly<Record<string, string>> = {
  "broadcasts.fan_out": `{"split":{"arms":[{"upTo":[7,"an id"]},{"upTo":[9,"an id"]}]}}`,
};

/** Returns the tables of a database. Those of an index of full text are its columns; its own tables are left out. */
export async function readTables(run: RunSql): Promise<Table[]> {
  const [names = []] = (await run([
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL",
  ])) as {
    name: string;
    sql: string;
  }[][];
  const virtual = names.filter(({ sql }) => /^CREATE VIRTUAL/i.test(sql)).map(({ name }) => `${name}_`);
  const own = names.filter(
    ({ name }) => !/^(_cf|sqlite|d1)_/.test(name) && !virtual.some((prefix) => name.startsWith(prefix)),
  );
  if (own.length === 0) return [];
  const columns = (await run(
    own.map(
      ({ name }) =>
        `SELECT c.name, c.type, c."notnull" OR c.pk > 0 AS required, f."table" AS parent, f."to" AS target
           FROM pragma_table_info('${name}') c LEFT JOIN pragma_foreign_key_list('${name}') f ON f."from" = c.name ORDER BY c.cid`,
    ),
  )) as { name: string; type: string; required: number; parent: string | null; target: string }[][];
  return own.map(({ name, sql }, at) => ({
    name,
    isSingle: /CHECK \(id = 1\)/.test(sql),
    columns: (columns[at] ?? []).map((column) => ({
      name: column.name,
      type: column.type,
      isRequired: column.required === 1,
      references: column.parent === null ? null : { table: column.parent, column: column.target },
      allowed: allowedBy(sql, column.name),
    })),
  }));
}

function allowedBy(sql: string, column: string): string[] {
  const [, list = ""] = new RegExp(`CHECK \\(${column} IN \\(([^)]*)\\)\\)`).exec(sql) ?? [];
  return list === "" ? [] : list.split(",").map((value) => value.trim());
}

/**
 * Returns statements that insert one row into each table. A row with an even serial number has every column, one with an odd
 * number only those that must have a value. `written` has the columns that the writer knows; omitted: all.
 */
export function insertsOf(
  tables: readonly Table[],
  serial: number,
  written: (table: string, column: string) => boolean = () => true,
): string[] {
  return tables
    .filter(({ name, columns }) => columns.some((column) => written(name, column.name)))
    .map((table) => {
      const columns = table.columns.filter(
        (column) => written(table.name, column.name) && (column.isRequired || serial % 2 === 0),
      );
      const values = columns.map((column) => sqlValue(tables, table, column, serial));
      const verb = table.isSingle ? "INSERT OR REPLACE" : "INSERT";
      if (columns.length === 0) return `${verb} INTO ${table.name} DEFAULT VALUES`;
      return `${verb} INTO ${table.name} (${columns.map(({ name }) => name).join(", ")}) VALUES (${values.join(", ")})`;
    });
}

function sqlValue(tables: readonly Table[], table: Table, column: Column, serial: number): string {
  const { references, allowed } = column;
  if (references) {
    const parent = tables.find(({ name }) => name === references.table);
    const target = parent?.columns.find(({ name }) => name === references.column);
    if (!parent || !target) throw new Error(`${table.name}.${column.name} references an unknown table`);
    return sqlValue(tables, parent, target, serial);
  }
  const choice = allowed[serial % Math.max(1, allowed.length)];
  if (choice !== undefined) return choice;
  if (table.isSingle && column.name === "id") return "1";
  if (column.type === "INTEGER" || column.type === "REAL") return String(serial);
  if (column.type === "BLOB") return `X'${serial.toString(16).padStart(8, "0")}'`;
  // JSON, lower case and unique: what any text column of this schema takes.
  return `'${FORMS[`${table.name}.${column.name}`] ?? `[${serial}]`}'`;
}
