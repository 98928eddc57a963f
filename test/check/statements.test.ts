/**
 * Every statement that the tests in workerd prepare (migrations/prepared.json) is compiled on the kind of database that it was prepared
 * on, and on the other.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRecord, statementsOf } from "../../dev/prepared-sql/record.ts";
import { KINDS, type Kind, SqlCompiler } from "../host/support/sql-compiler.ts";

const root = path.join(import.meta.dirname, "../..");
const statements = statementsOf(readRecord());

let compiler: SqlCompiler;
let tables: Record<Kind, Set<string>>;

beforeAll(async () => {
  compiler = await SqlCompiler.start();
  const names = await Promise.all(KINDS.map(migrate));
  tables = { main: new Set(names[0]), mail: new Set(names[1]) };
}, 120_000);
afterAll(() => compiler?.stop());

async function migrate(kind: Kind): Promise<string[]> {
  await compiler.migrate(kind);
  const [rows = []] = await compiler.batch(kind, ["SELECT name FROM sqlite_master WHERE type = 'table'"]);
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** Returns the tables that a statement names. */
const namesIn = (sql: string) =>
  [...sql.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+["[]?(\w+)/gi)].map(([, name = ""]) => name);
const isShared = (name: string) => tables.main.has(name) && tables.mail.has(name);
const isNeutral = (sql: string) => namesIn(sql).filter(isTable).every(isShared);
const isTable = (name: string) => tables.main.has(name) || tables.mail.has(name);

describe("the statements of the source", () => {
  it("are recorded by the files that prepare them", () => {
    expect(statements.length).toBeGreaterThan(400);
    const files = new Set(statements.map(({ place }) => place));
    expect([...files].filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    // Those of the query builder are in lower case.
    expect(
      KINDS.filter((kind) => statements.filter((one) => one.kind === kind && /^select /.test(one.sql)).length < 5),
    ).toEqual([]);
  });

  it("insert emails by one file, whatever accepts or makes them", () => {
    const places = statements.filter(({ sql }) => /\bINSERT INTO emails\b/.test(sql)).map(({ place }) => place);
    expect(new Set(places)).toEqual(new Set(["src/sending/emails/send/commit-statements.ts"]));
  });

  it("compile on the kind of database that they are prepared on", async () => {
    const compiled = await compiler.compile(statements);
    expect(compiled.filter(({ error }) => error !== null)).toEqual([]);
  });

  it("fail on the other kind, unless they name only tables that both have", async () => {
    const specific = statements.filter(({ sql }) => !isNeutral(sql));
    const compiled = await compiler.compile(
      specific.map(({ place, kind, sql }) => ({ place, kind: kind === "main" ? ("mail" as const) : "main", sql })),
    );
    expect(compiled.filter(({ error }) => !/no such table|no column named/.test(error ?? ""))).toEqual([]);
  });

  it("name tables that only one kind has in most cases", () => {
    const neutral = statements.filter(({ sql }) => isNeutral(sql));
    expect(neutral.length).toBeLessThan(statements.length / 4);
    expect([...tables.main].filter((name) => isShared(name) && !/^(_cf|sqlite)/.test(name)).sort()).toEqual([
      "held_outbox",
      "idempotency_keys",
      "outbox",
      "quarantine",
    ]);
  });
});
