/** How the tests know the SQL that they prepare (dev/prepared-sql/). */
import { describe, expect, it } from "vitest";
import { markPlaces, placesIn } from "../../dev/prepared-sql/places.ts";
import { type Kind, missingIn, statementsOf, toRecord, unpreparedPlaces } from "../../dev/prepared-sql/record.ts";

const FILE = "src/a/b.ts";
const TEXT = `import { orm } from "../host/client.ts";
const isOpen = sql<boolean>\`closed IS NULL\`;
const all = (db) => db
  .prepare(FIND)
  .all();
const one = (db) => db.findRow<{ n: number }>(FIND, 1);
export const read = (ctx) => mailOrm(ctx).select().where(sql\`\${isOpen} AND n = \${1}\`);
`;
const statement = (place: string, sql: string, kind: Kind = "main") => ({ kind, place: `src/${place}`, sql });

describe("places of the source", () => {
  it("are each call of prepare, each query builder and each of its templates, in the lines of the source", () => {
    expect(placesIn(FILE, TEXT)).toEqual(["2:16", "4:3", "6:23", "7:30", "7:58"].map((at) => `${FILE}:${at}`));
    expect(markPlaces(FILE, TEXT).split("\n")).toEqual([
      'import { orm } from "../host/client.ts";',
      `const isOpen = (reached("${FILE}:2:16"), sql)<boolean>\`closed IS NULL\`;`,
      "const all = (db) => db",
      `  [preparedAt]("${FILE}:4:3", "prepare")(FIND)`,
      "  .all();",
      `const one = (db) => db[preparedAt]("${FILE}:6:23", "findRow")<{ n: number }>(FIND, 1);`,
      `export const read = (ctx) => builtAt("${FILE}:7:30", mailOrm)(ctx).select().where((reached("${FILE}:7:58"), sql)\`\${isOpen} AND n = \${1}\`);`,
      "",
    ]);
  });

  it("are not in the schema, nor in databases that pass on statements", () => {
    for (const file of ["src/platform/db/schema/main/oauth.ts", "src/platform/db/joint-reads.ts"])
      expect(placesIn(file, TEXT)).toEqual([]);
  });

  it("that no test reached are named", () => {
    const all = unpreparedPlaces([]);
    expect(all.length).toBeGreaterThan(500);
    expect(unpreparedPlaces(all.slice(1))).toEqual(all.slice(0, 1));
  });
});

describe("the record of SQL", () => {
  it("has each statement of a file once, sorted, whatever the order of the tests and the line", () => {
    const prepared = [
      statement("b.ts:9:5", "SELECT 2"),
      statement("b.ts:4:5", "SELECT 1"),
      statement("a.ts:1:5", "SELECT 1"),
    ];
    const record = toRecord(prepared);
    expect(JSON.stringify(record)).toBe(
      JSON.stringify({ main: { "src/a.ts": ["SELECT 1"], "src/b.ts": ["SELECT 1", "SELECT 2"] }, mail: {} }),
    );
    const again = toRecord([...prepared.toReversed(), statement("b.ts:70:7", "SELECT 1"), ...statementsOf(record)]);
    expect(JSON.stringify(again)).toBe(JSON.stringify(record));
  });

  it("lacks a statement of another kind of database, of another file or of another text", () => {
    const record = toRecord([statement("a.ts:1:5", "SELECT 1")]);
    const others = [
      statement("a.ts:1:5", "SELECT 1", "mail"),
      statement("b.ts:1", "SELECT 1"),
      statement("a.ts:1:5", "SELECT 2"),
    ];
    expect(missingIn(record, [statement("a.ts:5:1", "SELECT 1"), ...others])).toHaveLength(3);
  });
});
