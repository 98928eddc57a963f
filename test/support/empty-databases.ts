/** The databases of an isolate: migrated once, emptied before each test file, and searched for rows that D1 refuses after it. */
import { env } from "cloudflare:workers";

/** The columns of the tables that have rows of their own, which those of SQLite, of D1 and of the text index do not. */
const COLUMNS = `
  SELECT t.name, c.name AS "column" FROM sqlite_schema AS t CROSS JOIN pragma_table_info(t.name) AS c
   WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
     AND t.name NOT LIKE 'email\\_search\\_%' ESCAPE '\\'`;

/** Most bytes of a row (https://developers.cloudflare.com/d1/platform/limits/); Miniflare admits more. */
const ROW_BYTES = 2_000_000;

/**
 * Migrates a database. Returns the batch that puts it back to what it is then, and a statement that reads the bytes of the largest
 * row of each table.
 */
async function migrate(db: D1Database, migrations: readonly string[]) {
  // All migrations in one batch: a batch for each file would take several times as long.
  await db.batch(migrations.map((statement) => db.prepare(statement)));
  const { results } = await db.prepare(COLUMNS).all<{ name: string; column: string }>();
  const columnsByTable = Map.groupBy(results, ({ name }) => name);
  const tables = [...columnsByTable.keys()];
  const contents = await db.batch<Record<string, unknown>>(tables.map((name) => db.prepare(`SELECT * FROM ${name}`)));
  const rows = contents.flatMap(({ results }, at) => results.map((row) => ({ table: tables[at], row })));
  const deletions = tables.map((name) => db.prepare(`DELETE FROM ${name}`));
  const emptying = [
    db.prepare("PRAGMA defer_foreign_keys = on"),
    ...deletions,
    // Again, because the triggers of a deletion write to tables that are empty by then.
    ...deletions,
    ...rows.map(({ table, row }) => {
      const columns = Object.keys(row);
      const values = columns.map((_, at) => `?${at + 1}`);
      return db.prepare(`INSERT INTO ${table} (${columns}) VALUES (${values})`).bind(...Object.values(row));
    }),
  ];
  const largest = [...columnsByTable].map(([table, columns]) => {
    const bytes = columns.map(({ column }) => `ifnull(octet_length("${column}"), 0)`).join(" + ");
    return `(SELECT max(${bytes}) FROM ${table}) AS ${table}`;
  });
  return { emptying, largest: db.prepare(`SELECT ${largest}`) };
}

const databases = [
  { name: "DB", migrations: env.TEST_MIGRATIONS.main },
  { name: "MAIL_0", migrations: env.TEST_MIGRATIONS.mail },
  { name: "MAIL_1", migrations: env.TEST_MIGRATIONS.mail },
] as const;
const migrated = Promise.all(
  databases.map(async ({ name, migrations }) => ({ name, db: env[name], ...(await migrate(env[name], migrations)) })),
);

/** Deletes the rows that earlier files of this isolate have left. */
export async function emptyDatabases(): Promise<void> {
  await Promise.all((await migrated).map(({ db, emptying }) => db.batch(emptying)));
}

/** Returns the tables with a row that D1 refuses, and the bytes of the largest one. */
export async function findLargeRows(): Promise<string[]> {
  const found = (await migrated).map(async ({ name, largest }) => {
    const bytesByTable = Object.entries((await largest.first<Record<string, number | null>>()) ?? {});
    return bytesByTable
      .filter(([, bytes]) => (bytes ?? 0) > ROW_BYTES)
      .map(([table, bytes]) => `${name}.${table}: ${bytes} bytes`);
  });
  return (await Promise.all(found)).flat();
}
