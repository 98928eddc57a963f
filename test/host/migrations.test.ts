/**
 * Each migration is applied to databases whose tables all have rows, written under the schema before it. The SQL of the
 * version that was released last (migrations/released.json) runs on the schema of this one, because the released Worker is
 * still running when migrations are applied, and again after a rollback.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RECORD_FILE, type ReleaseRecord } from "../../dev/release/record.ts";
import { isFull } from "./support/extent.ts";
import { insertsOf, readTables } from "./support/fill-rows.ts";
import { KINDS, type Kind, readMigrations, SqlCompiler } from "./support/sql-compiler.ts";

const root = path.join(import.meta.dirname, "../..");
const released = JSON.parse(readFileSync(path.join(root, RECORD_FILE), "utf8")) as ReleaseRecord;

/** Migrations that removed tables, before the first release. */
const DROPS_TABLES = new Set(["0041_drop_main_tables.sql"]);

let compiler: SqlCompiler;
beforeAll(async () => {
  compiler = await SqlCompiler.start();
}, 60_000);
afterAll(() => compiler?.stop());

const runAll = (db: D1Database, statements: readonly string[]) =>
  db.batch(statements.map((statement) => db.prepare(statement)));

/** Inserts two rows into each table, in one transaction. Returns the names of the tables. */
async function fill(db: D1Database, serial: number): Promise<string[]> {
  const tables = await readTables(db);
  const inserts = [...insertsOf(tables, serial), ...insertsOf(tables, serial + 1)];
  if (inserts.length > 0) await runAll(db, ["PRAGMA defer_foreign_keys = true", ...inserts]);
  return tables.map(({ name }) => name);
}

/** Runs statements in one transaction. Returns the rows of each table before and after it, and references without their row. */
async function migrate(db: D1Database, queries: readonly string[], tables: readonly string[], kept: readonly string[]) {
  const counts = (names: readonly string[]) => names.map((name) => `SELECT count(*) AS rows FROM ${name}`);
  const statements = [...counts(tables), ...queries, ...counts(kept), "PRAGMA foreign_key_check"];
  const results = await runAll(db, statements);
  const rowsAt = (at: number) => (results[at]?.results[0] as { rows: number } | undefined)?.rows ?? 0;
  return {
    before: new Map(tables.map((name, at) => [name, rowsAt(at)])),
    after: new Map(kept.map((name, at) => [name, rowsAt(tables.length + queries.length + at)])),
    orphans: results.at(-1)?.results,
  };
}

/** Returns the columns of a schema, as `table.column`. */
async function shapeOf(db: D1Database): Promise<Set<string>> {
  const columns = (await readTables(db)).flatMap(({ name, columns }) => columns.map((each) => `${name}.${each.name}`));
  return new Set(columns);
}

const uniqueIndexes = async (db: D1Database) =>
  (
    await db
      .prepare("SELECT name, tbl_name AS on_table, sql FROM sqlite_master WHERE sql LIKE 'CREATE UNIQUE INDEX%'")
      .all<{ name: string; on_table: string; sql: string }>()
  ).results;

describe.each(KINDS)("the migrations of %s databases", (kind: Kind) => {
  it("apply to tables that have rows, keep every row, and leave no reference without its row", async () => {
    const db = compiler.databases[kind];
    const migrations = await readMigrations(kind);
    expect(migrations.length).toBeGreaterThan(10);
    // A migration that was released is never changed: npm test begins with rows of the released version.
    const first = isFull ? 0 : migrations.findIndex(({ name }) => name === released.migrations[kind]) + 1;
    const old = migrations.slice(0, first).flatMap(({ queries }) => queries);
    if (old.length > 0) await runAll(db, old);
    for (const [at, { name, queries }] of migrations.entries()) {
      if (at < first) continue;
      const tables = await fill(db, at * 2);
      const kept = DROPS_TABLES.has(name) ? [] : tables;
      const { before, after, orphans } = await migrate(db, queries, tables, kept);
      expect([...before].filter(([, rows]) => rows === 0)).toEqual([]);
      expect(kept.filter((table) => (after.get(table) ?? 0) < (before.get(table) ?? 0))).toEqual([]);
      expect(orphans, name).toEqual([]);
    }
    const { results } = await db.prepare("PRAGMA quick_check").all();
    expect(results).toEqual([{ quick_check: "ok" }]);
  });
});

describe.each(KINDS)("the version that was released last, on %s databases of this one", (kind: Kind) => {
  let old: SqlCompiler;
  let current: SqlCompiler;
  beforeAll(async () => {
    [old, current] = await Promise.all([SqlCompiler.start(), SqlCompiler.start()]);
    const migrations = await readMigrations(kind);
    const last = migrations.findIndex(({ name }) => name === released.migrations[kind]);
    await runAll(
      old.databases[kind],
      migrations.slice(0, last + 1).flatMap(({ queries }) => queries),
    );
    await current.migrate(kind);
  }, 60_000);
  afterAll(() => Promise.all([old?.stop(), current?.stop()]));

  it("has its migrations as a beginning of those of this version", async () => {
    const names = (await readMigrations(kind)).map(({ name }) => name);
    expect(names).toContain(released.migrations[kind]);
  });

  it("prepares every one of its statements", async () => {
    const statements = released.statements[kind].map((sql) => ({ kind, sql }));
    expect(statements.length).toBeGreaterThan(100);
    const compiled = await current.compile(statements);
    expect(compiled.filter(({ error }) => error !== null)).toEqual([]);
  });

  it("inserts rows, without the columns that it does not know", async () => {
    const known = await shapeOf(old.databases[kind]);
    const tables = await readTables(current.databases[kind]);
    const inserts = [0, 1].flatMap((serial) =>
      insertsOf(tables, serial, (table, column) => known.has(`${table}.${column}`)),
    );
    expect(inserts.length).toBeGreaterThan(20);
    await runAll(current.databases[kind], ["PRAGMA defer_foreign_keys = true", ...inserts]);
  });

  it("meets no unique index on its tables that it does not know", async () => {
    const before = await uniqueIndexes(old.databases[kind]);
    const tables = new Set((await readTables(old.databases[kind])).map(({ name }) => name));
    const added = (await uniqueIndexes(current.databases[kind])).filter(
      ({ name, on_table }) => tables.has(on_table) && !before.some((index) => index.name === name),
    );
    expect(before.length).toBeGreaterThan(3);
    expect(added).toEqual([]);
  });
});
