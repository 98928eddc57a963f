/** Every statement that the source writes in SQL is compiled on the kind of database that it is prepared on, and on the other. */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findSql, type SourceSql } from "../../dev/source-sql/find-sql.ts";
import { KINDS, type Kind, SqlCompiler } from "./support/sql-compiler.ts";

const root = path.join(import.meta.dirname, "../..");

/** Statements that depend on data, each with one that has all that it may contain. A statement of another file is not known. */
const EXAMPLES: Readonly<Record<string, string | null>> = {
  // They wrap the databases of others.
  "src/platform/db/count-rows.ts": null,
  "src/platform/db/count-statements.ts": null,
  "src/platform/db/joint-reads.ts": null,
  // Makes its statements from the schema; test/host/backup.test.ts runs them on every table.
  "src/operations/backups/stores.ts": null,
  "src/audience/broadcasts/change.ts": `UPDATE broadcasts SET version = version + 1, status = ?3, contact_list_id = ?3, mailbox_id = ?3,
    name = ?3, subject = ?3, preheader = ?3, from_address = ?3, from_domain = ?3, reply_to = ?3, scheduled_at = ?3,
    ab_test_pct = ?3, ab_winner_variant_id = ?3, ab_promoted_at = ?3, max_per_hour = ?3, paused_at = ?3, fan_out = ?3,
    fan_out_step = ?3, html_body = ?3, text_body = ?3, size = ?3, updated_at = ?3 WHERE n = ?1 AND version = ?2`,
};

let compiler: SqlCompiler;
let tables: Record<Kind, Set<string>>;
let found: SourceSql;

beforeAll(async () => {
  // First, because it blocks this process for seconds, and workerd closes idle connections.
  found = findSql(root);
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

/** Compiles statements. Returns each with its error, or null. */
const compile = (items: readonly { kind: Kind; sql: string; place: string }[]) => compiler.compile(items);

/** Returns the tables that a statement names. */
const namesIn = (sql: string) => [...sql.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)/g)].map(([, name = ""]) => name);
const isShared = (name: string) => tables.main.has(name) && tables.mail.has(name);
const isNeutral = (sql: string) => namesIn(sql).filter(isTable).every(isShared);
const isTable = (name: string) => tables.main.has(name) || tables.mail.has(name);

/** Returns the found statements with their SQL. */
const statements = () => found.statements.flatMap(({ sql, ...rest }) => (sql === null ? [] : [{ ...rest, sql }]));

describe("the statements of the source", () => {
  it("are all found, except those that depend on data, which have an example here", () => {
    expect(statements().length).toBeGreaterThan(300);
    const withoutSql = found.statements.filter(({ sql }) => sql === null).map(({ place }) => place.split(":")[0]);
    expect([...new Set(withoutSql)].sort()).toEqual(Object.keys(EXAMPLES).sort());
  });

  it("compile on the kind of database that they are prepared on", async () => {
    const examples = Object.entries(EXAMPLES).flatMap(([file, sql]) => {
      const { kind } = found.statements.find(({ place }) => place.startsWith(file)) ?? {};
      return sql && kind ? [{ place: file, kind, sql }] : [];
    });
    expect(examples).toHaveLength(1);
    const compiled = await compile(
      [...statements(), ...examples].flatMap(({ place, kind, sql }) =>
        (kind === "both" ? KINDS : [kind]).map((each) => ({ place, kind: each, sql })),
      ),
    );
    expect(compiled.filter(({ error }) => error !== null)).toEqual([]);
  });

  it("fail on the other kind, unless they name only tables that both have", async () => {
    const specific = statements().filter(({ sql }) => !isNeutral(sql));
    expect(specific.filter(({ kind }) => kind === "both")).toEqual([]);
    const compiled = await compile(
      specific.map(({ place, kind, sql }) => ({ place, kind: kind === "main" ? "mail" : "main", sql })),
    );
    expect(compiled.filter(({ error }) => !/no such table|no column named/.test(error ?? ""))).toEqual([]);
  });

  it("name tables that only one kind has in most cases", () => {
    const neutral = statements().filter(({ sql }) => isNeutral(sql));
    expect(neutral.length).toBeLessThan(statements().length / 4);
    expect([...tables.main].filter((name) => isShared(name) && !/^(_cf|sqlite)/.test(name)).sort()).toEqual([
      "held_outbox",
      "idempotency_keys",
      "outbox",
    ]);
  });

  it("in templates of the query builder name tables of mail databases in src/sending/emails, which runs them there, else of main", () => {
    const { runs, templates } = found;
    expect(runs.length).toBeGreaterThan(2);
    expect(runs.filter(({ type }) => type !== 'Orm<"mail">')).toEqual([]);
    const named = templates.flatMap(({ place, text }) => namesIn(text).map((name) => ({ place, name })));
    expect(named.length).toBeGreaterThan(10);
    const kindOf = (place: string) => (place.startsWith("src/sending/emails/") ? "mail" : "main");
    expect(named.filter(({ place, name }) => isTable(name) && !tables[kindOf(place)].has(name))).toEqual([]);
  });
});
