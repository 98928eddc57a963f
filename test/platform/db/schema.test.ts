import { env } from "cloudflare:workers";
import { getTableName, is, SQL } from "drizzle-orm";
import { getTableConfig, SQLiteSyncDialect, SQLiteTable } from "drizzle-orm/sqlite-core";
import { beforeAll, describe, expect, it } from "vitest";
import * as mail from "../../../src/platform/db/schema/mail/index.ts";
import * as main from "../../../src/platform/db/schema/main/index.ts";

/** The compared properties of a table. */
interface Shape {
  columns: Record<string, { type: string; notNull: boolean; key: number; standard: string | null }>;
  indexes: Record<string, { unique: boolean; columns: string[]; where: string | null }>;
  references: string[];
}

const tablesOf = (schema: Record<string, unknown>) => Object.values(schema).filter((value) => is(value, SQLiteTable));
const kinds = [
  { kind: "main", db: env.DB, tables: tablesOf(main) },
  { kind: "mail", db: env.MAIL_1, tables: tablesOf(mail) },
];

/** Reads the tables and the DDL of a migrated database. */
async function readDatabase(db: D1Database) {
  const all = allOf(db);
  const ddl = Object.fromEntries(
    (await all<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")).map(
      ({ name, sql }) => [name, sql],
    ),
  );
  const names = await all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations' AND name NOT LIKE 'email_search%'",
  );
  const shapes = names.map(async ({ name }) => [name, await migratedShape(db, ddl, name)] as const);
  return { ddl, migrated: Object.fromEntries(await Promise.all(shapes)) as Record<string, Shape> };
}

const allOf =
  (db: D1Database) =>
  async <Row>(sql: string, ...values: unknown[]): Promise<Row[]> =>
    (
      await db
        .prepare(sql)
        .bind(...values)
        .all<Row>()
    ).results;

async function migratedShape(db: D1Database, ddl: Record<string, string>, table: string): Promise<Shape> {
  const all = allOf(db);
  const columns = await all<{ name: string; type: string; notnull: number; pk: number; dflt_value: string | null }>(
    "SELECT name, type, [notnull], pk, dflt_value FROM pragma_table_info(?1)",
    table,
  );
  const indexes = await all<{ name: string; unique: number }>(
    "SELECT name, [unique] FROM pragma_index_list(?1) WHERE origin = 'c'",
    table,
  );
  const references = await all<{ from: string; table: string; to: string }>(
    "SELECT [from], [table], [to] FROM pragma_foreign_key_list(?1)",
    table,
  );
  return {
    columns: Object.fromEntries(
      columns.map(({ name, type, notnull, pk, dflt_value }) => [
        name,
        { type, notNull: notnull === 1, key: pk, standard: dflt_value },
      ]),
    ),
    indexes: Object.fromEntries(
      await Promise.all(indexes.map(async (index) => [index.name, await migratedIndex(db, ddl, index)] as const)),
    ),
    references: references.map(({ from, table, to }) => `${from} -> ${table}.${to}`).sort(),
  };
}

async function migratedIndex(
  db: D1Database,
  ddl: Record<string, string>,
  { name, unique }: { name: string; unique: number },
) {
  const columns = await allOf(db)<{ name: string }>("SELECT name FROM pragma_index_info(?1) ORDER BY seqno", name);
  const where = /\bWHERE\b([\s\S]*)$/i.exec(ddl[name] ?? "")?.[1] ?? null;
  return { unique: unique === 1, columns: columns.map((column) => column.name), where: where && plain(where) };
}

/** Normalises SQL: removes quotes of names and repeated white space. */
const plain = (sql: string) => sql.replace(/["`]/g, "").replace(/\s+/g, " ").trim();

function declaredShape(table: SQLiteTable): Shape {
  const { columns, indexes, primaryKeys, foreignKeys } = getTableConfig(table);
  const composite = primaryKeys[0]?.columns.map(({ name }) => name) ?? [];
  return {
    columns: Object.fromEntries(
      columns.map((column) => [
        column.name,
        {
          type: column.getSQLType().toUpperCase(),
          notNull: column.notNull,
          key: column.primary ? 1 : composite.indexOf(column.name) + 1,
          standard: column.default === undefined ? null : literal(column.default),
        },
      ]),
    ),
    indexes: Object.fromEntries(indexes.map(({ config }) => [config.name, declaredIndex(config)])),
    references: foreignKeys
      .flatMap((foreign) => {
        const { columns, foreignTable, foreignColumns } = foreign.reference();
        return columns.map(({ name }, at) => `${name} -> ${getTableName(foreignTable)}.${foreignColumns[at]?.name}`);
      })
      .sort(),
  };
}

/** Formats a default value as SQL. */
function literal(value: unknown): string {
  if (typeof value === "object") return `'${JSON.stringify(value)}'`;
  if (typeof value === "string") return `'${value}'`;
  return String(Number(value));
}

function declaredIndex(config: ReturnType<typeof getTableConfig>["indexes"][number]["config"]) {
  const columns = config.columns.map((column) => (is(column, SQL) ? "an expression" : column.name));
  const where = config.where ? plain(new SQLiteSyncDialect().sqlToQuery(config.where).sql) : null;
  return { unique: config.unique, columns, where };
}

describe.each(kinds)("the migrated $kind database", ({ kind, db, tables }) => {
  let migrated: Record<string, Shape>;
  let ddl: Record<string, string>;
  const all = allOf(db);

  beforeAll(async () => {
    ({ migrated, ddl } = await readDatabase(db));
  });

  it("has exactly the tables of the drizzle schema", () => {
    expect(Object.keys(migrated).sort()).toEqual(tables.map(getTableName).sort());
  });

  for (const table of tables) {
    const name = getTableName(table);
    it(`${name} has the same columns, keys, indexes and references in migrations and schema`, () => {
      expect(migrated[name]).toEqual(declaredShape(table));
    });
  }

  it("has only STRICT tables, and AUTOINCREMENT where a number must not be reused", () => {
    for (const table of tables) {
      const sql = ddl[getTableName(table)] ?? "";
      expect(sql).toMatch(/\)\s*STRICT/);
      const declared = getTableConfig(table).columns.some(
        (column) => "autoIncrement" in column && column.autoIncrement,
      );
      expect(/AUTOINCREMENT/.test(plain(sql.replace(/--.*/g, ""))), getTableName(table)).toBe(declared);
    }
    if (kind === "main") expect(ddl.workspaces).toContain("AUTOINCREMENT");
  });

  it("uses WITHOUT ROWID exactly for tables with a composite key and for the outbox, whose id would be a second index", () => {
    const without = Object.keys(migrated).filter((name) => /WITHOUT ROWID/i.test(ddl[name] ?? ""));
    expect(without.sort()).toEqual(
      tables
        .filter((table) => getTableConfig(table).primaryKeys.length > 0 || getTableName(table) === "outbox")
        .map(getTableName)
        .sort(),
    );
    expect(without).not.toContain("emails");
  });

  it("has no views, no other triggers than those it needs, and no undeclared automatic indexes", async () => {
    const ofMail = [
      "event_added",
      "event_deleted",
      "outbox_leased",
      "outbox_replaced",
      "webhook_delivery_added",
      "webhook_delivery_deleted",
      "webhook_delivery_status",
    ];
    const ofMain = ["custom_host_first_mode", "delegated_domain_deleted", "outbox_leased"];
    const found = await all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger') ORDER BY name",
    );
    expect(found.map(({ name }) => name)).toEqual(kind === "mail" ? ofMail : ofMain);
    const automatic = await all<{ name: string; tbl_name: string }>(
      "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index' AND sql IS NULL AND tbl_name NOT LIKE '_cf_%' AND tbl_name <> 'd1_migrations'",
    );
    const textKeys = Object.entries(migrated).filter(([, { columns }]) =>
      Object.values(columns).some(({ key, type }) => key === 1 && type === "TEXT"),
    );
    const rowidTextKeys = textKeys.map(([name]) => name).filter((name) => !/WITHOUT ROWID/i.test(ddl[name] ?? ""));
    expect(automatic.map(({ tbl_name }) => tbl_name).sort()).toEqual(rowidTextKeys.sort());
  });

  it("allows exactly the values of the enums in the schema", () => {
    for (const table of tables) {
      for (const column of getTableConfig(table).columns) {
        const allowed = (column.enumValues ?? []).map((value: string) => `'${value}'`).join(", ");
        if (allowed === "") continue;
        const check = `CHECK (${column.name} IN (${allowed}))`;
        expect(plain(ddl[getTableName(table)] ?? ""), `${getTableName(table)}.${column.name}`).toContain(check);
      }
    }
  });
});

describe("the comparison", () => {
  it("differs from a schema with another column, index or filter", async () => {
    const { emails } = (await readDatabase(env.MAIL_1)).migrated;
    const declared = declaredShape(mail.emails);
    expect({ ...emails, columns: { ...emails?.columns, extra: emails?.columns.id } }).not.toEqual(declared);
    expect({ ...emails, indexes: {} }).not.toEqual(declared);
    expect(declared.indexes.emails_by_rare_status?.where).toContain("'scheduled', 'sent'");
    expect(declared.indexes.emails_by_id?.unique).toBe(true);
  });
});
