/**
 * Each migration is applied to databases whose tables all have rows, written under the schema before it. The SQL of the
 * version that was released last (migrations/released.json) runs on the schema of this one, because the released Worker is
 * still running when migrations are applied, and again after a rollback.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RECORD_FILE, type ReleaseRecord } from "../../dev/release/record.ts";
import { isFull } from "../host/support/extent.ts";
import { insertsOf, type RunSql, readTables } from "../host/support/fill-rows.ts";
import { KINDS, type Kind, readMigrations, SqlCompiler } from "../host/support/sql-compiler.ts";

const root = path.join(import.meta.dirname, "../..");
const released = JSON.parse(readFileSync(path.join(root, RECORD_FILE), "utf8")) as ReleaseRecord;

/** Migrations that removed tables, before the first release. */
const DROPS_TABLES = new Set(["0041_drop_main_tables.sql"]);

let compiler: SqlCompiler;
let old: SqlCompiler;
let current: SqlCompiler;
beforeAll(async () => {
  [compiler, old, current] = await Promise.all([SqlCompiler.start(), SqlCompiler.start(), SqlCompiler.start()]);
}, 60_000);
afterAll(() => Promise.all([compiler, old, current].map((one) => one?.stop())));

/** Returns a function that runs statements on the database of a kind. */
const on =
  (at: SqlCompiler, kind: Kind): RunSql =>
  (statements) =>
    at.batch(kind, statements);

/** Inserts two rows into each table, in one transaction. Returns the names of the tables. */
async function fill(run: RunSql, serial: number): Promise<string[]> {
  const tables = await readTables(run);
  const inserts = [...insertsOf(tables, serial), ...insertsOf(tables, serial + 1)];
  if (inserts.length > 0) await run(["PRAGMA defer_foreign_keys = true", ...inserts]);
  return tables.map(({ name }) => name);
}

/** Runs statements in one transaction. Returns the rows of each table before and after it, and references without their row. */
async function migrate(run: RunSql, queries: readonly string[], tables: readonly string[], kept: readonly string[]) {
  const counts = (names: readonly string[]) => names.map((name) => `SELECT count(*) AS rows FROM ${name}`);
  const statements = [...counts(tables), ...queries, ...counts(kept), "PRAGMA foreign_key_check"];
  const results = await run(statements);
  const rowsAt = (at: number) => (results[at]?.[0] as { rows: number } | undefined)?.rows ?? 0;
  return {
    before: new Map(tables.map((name, at) => [name, rowsAt(at)])),
    after: new Map(kept.map((name, at) => [name, rowsAt(tables.length + queries.length + at)])),
    orphans: results.at(-1),
  };
}

/** Returns the columns of a schema, as `table.column`. */
async function shapeOf(run: RunSql): Promise<Set<string>> {
  const columns = (await readTables(run)).flatMap(({ name, columns }) => columns.map((each) => `${name}.${each.name}`));
  return new Set(columns);
}

async function uniqueIndexes(run: RunSql) {
  const [rows = []] = await run([
    "SELECT name, tbl_name AS on_table, sql FROM sqlite_master WHERE sql LIKE 'CREATE UNIQUE INDEX%'",
  ]);
  return rows as { name: string; on_table: string; sql: string }[];
}

describe.each(KINDS)("the migrations of %s databases", (kind: Kind) => {
  it("apply to tables that have rows, keep every row, and leave no reference without its row", async () => {
    const run = on(compiler, kind);
    const migrations = await readMigrations(kind);
    expect(migrations.length).toBeGreaterThan(10);
    // A migration that was released is never changed: npm test begins with rows of the released version.
    const first = isFull ? 0 : migrations.findIndex(({ name }) => name === released.migrations[kind]) + 1;
    const earlier = migrations.slice(0, first).flatMap(({ queries }) => queries);
    if (earlier.length > 0) await run(earlier);
    for (const [at, { name, queries }] of migrations.entries()) {
      if (at < first) continue;
      const tables = await fill(run, at * 2);
      const kept = DROPS_TABLES.has(name) ? [] : tables;
      const { before, after, orphans } = await migrate(run, queries, tables, kept);
      expect([...before].filter(([, rows]) => rows === 0)).toEqual([]);
      expect(kept.filter((table) => (after.get(table) ?? 0) < (before.get(table) ?? 0))).toEqual([]);
      expect(orphans, name).toEqual([]);
    }
    const [results] = await run(["PRAGMA quick_check"]);
    expect(results).toEqual([{ quick_check: "ok" }]);
  });
});

describe.each(KINDS)("the version that was released last, on %s databases of this one", (kind: Kind) => {
  beforeAll(async () => {
    const migrations = await readMigrations(kind);
    const last = migrations.findIndex(({ name }) => name === released.migrations[kind]);
    await old.batch(
      kind,
      migrations.slice(0, last + 1).flatMap(({ queries }) => queries),
    );
    await current.migrate(kind);
  }, 60_000);

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
    const known = await shapeOf(on(old, kind));
    const tables = await readTables(on(current, kind));
    const inserts = [0, 1].flatMap((serial) =>
      insertsOf(tables, serial, (table, column) => known.has(`${table}.${column}`)),
    );
    expect(inserts.length).toBeGreaterThan(20);
    await current.batch(kind, ["PRAGMA defer_foreign_keys = true", ...inserts]);
  });

  it("meets no unique index on its tables that it does not know", async () => {
    const before = await uniqueIndexes(on(old, kind));
    const tables = new Set((await readTables(on(old, kind))).map(({ name }) => name));
    const added = (await uniqueIndexes(on(current, kind))).filter(
      ({ name, on_table }) => tables.has(on_table) && !before.some((index) => index.name === name),
    );
    expect(before.length).toBeGreaterThan(3);
    expect(added).toEqual([]);
  });
});
