/** The interface of D1 on the SQLite storage of a Durable Object, for tests that make very many calls: none is a round trip. */

/** The part of D1 that the service uses. */
export type LocalDatabase = Pick<D1Database, "prepare" | "batch">;

/** A statement with its values. */
interface Prepared {
  sql: string;
  values: unknown[];
}

/** Returns a database on `storage`. Use it in the object that has the storage. */
export function localDatabase(storage: DurableObjectStorage): LocalDatabase {
  const preparedOf = new WeakMap<D1PreparedStatement, Prepared>();
  const execute = ({ sql, values }: Prepared) => storage.sql.exec(sql, ...values.map(toSqlValue));
  const toResult = (prepared: Prepared) => {
    const results = execute(prepared).toArray();
    return { results, success: true, meta: { changes: changes(storage) } } as unknown as D1Result;
  };

  function prepare(sql: string, values: unknown[] = []): D1PreparedStatement {
    const prepared = { sql, values };
    const statement = {
      bind: (...bound: unknown[]) => prepare(sql, bound),
      all: async () => toResult(prepared),
      run: async () => toResult(prepared),
      raw: async () => [...execute(prepared).raw()],
      first: async (column?: string) => {
        const [row = null] = execute(prepared).toArray();
        return column === undefined || row === null ? row : row[column];
      },
    } as unknown as D1PreparedStatement;
    preparedOf.set(statement, prepared);
    return statement;
  }

  const find = (statement: D1PreparedStatement) => preparedOf.get(statement) ?? { sql: "", values: [] };
  return {
    prepare: (sql) => prepare(sql),
    batch: async <Row>(statements: D1PreparedStatement[]) =>
      storage.transactionSync(() => statements.map((statement) => toResult(find(statement)) as D1Result<Row>)),
  };
}

const changes = ({ sql }: DurableObjectStorage) => Number(sql.exec("SELECT changes() AS n").one().n);

// D1 stores booleans as numbers, too.
const toSqlValue = (value: unknown) => (typeof value === "boolean" ? Number(value) : value) as SqlStorageValue;

// Without the full-text index, whose shadow tables cannot be created.
const FIND_SCHEMA = `
  SELECT type, name, tbl_name AS "table", sql FROM sqlite_master WHERE sql IS NOT NULL AND substr(name, 1, 4) <> '_cf_' AND name <> 'sqlite_sequence'
     AND name NOT LIKE 'email_search%'`;

/** Copies the tables of a D1 database with their rows into `storage`, except tables that it has already. */
export async function copyDatabase(from: D1Database, storage: DurableObjectStorage): Promise<void> {
  const present = new Set(
    [...storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master")].map(({ name }) => name),
  );
  const { results } = await from.prepare(FIND_SCHEMA).all<{ type: string; name: string; table: string; sql: string }>();
  const schema = results.filter(({ table }) => !present.has(table));
  const tables = schema.filter(({ type }) => type === "table").map(({ name }) => name);
  const rows = await Promise.all(
    tables.map((name) => from.prepare(`SELECT * FROM ${name}`).all<Record<string, SqlStorageValue>>()),
  );
  storage.transactionSync(() => {
    storage.sql.exec("PRAGMA defer_foreign_keys = ON");
    const create = (kind: string) => {
      for (const { type, sql } of schema) if (type === kind) storage.sql.exec(sql);
    };
    create("table");
    create("index");
    for (const [index, name] of tables.entries())
      for (const row of rows[index]?.results ?? []) {
        const places = Object.keys(row).map((_, column) => `?${column + 1}`);
        storage.sql.exec(`INSERT INTO ${name} (${Object.keys(row)}) VALUES (${places})`, ...Object.values(row));
      }
    // Last, since the rows that they write are among the copied ones.
    create("trigger");
  });
}
