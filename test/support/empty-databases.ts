/** The databases of an isolate: migrated once, and emptied before each test file. */
import { env } from "cloudflare:workers";

/** The tables that have rows of their own, which those of SQLite, of D1 and of the text index do not. */
const TABLES = `
  SELECT name FROM sqlite_schema
   WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
     AND name NOT LIKE 'email\\_search\\_%' ESCAPE '\\'`;

/** Returns the statements that put a database back to what it was after its migrations, all in one batch. */
async function migrate(db: D1Database, migrations: readonly string[]): Promise<readonly D1PreparedStatement[]> {
  // All migrations in one batch: a batch for each file would take several times as long.
  await db.batch(migrations.map((statement) => db.prepare(statement)));
  const { results } = await db.prepare(TABLES).all<{ name: string }>();
  const tables = results.map(({ name }) => name);
  const contents = await db.batch<Record<string, unknown>>(tables.map((name) => db.prepare(`SELECT * FROM ${name}`)));
  const rows = contents.flatMap(({ results }, at) => results.map((row) => ({ table: tables[at], row })));
  const deletions = tables.map((name) => db.prepare(`DELETE FROM ${name}`));
  return [
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
}

const databases = [
  { db: env.DB, migrations: env.TEST_MIGRATIONS.main },
  { db: env.MAIL_0, migrations: env.TEST_MIGRATIONS.mail },
  { db: env.MAIL_1, migrations: env.TEST_MIGRATIONS.mail },
];
const migrated = Promise.all(
  databases.map(async ({ db, migrations }) => ({ db, emptying: await migrate(db, migrations) })),
);

/** Deletes the rows that earlier files of this isolate have left. */
export async function emptyDatabases(): Promise<void> {
  await Promise.all((await migrated).map(({ db, emptying }) => db.batch([...emptying])));
}
