/** The purge of a workspace. The tables are read from the databases, so none is forgotten. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { purgeWorkspace } from "../../../src/operations/purges/workspace.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

const mail = env.MAIL_1;
const LATER_MS = 3_600_000;

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

/** A table of mail databases whose rows belong to a workspace. */
interface Table {
  name: string;
  ddl: string;
  columns: Column[];
}

let tables: Table[];
let purged: TestWorkspace;
let kept: TestWorkspace;

beforeAll(async () => {
  tables = await findTables();
  purged = await aWorkspace({ mailShard: 1 });
  kept = await aWorkspace({ mailShard: 1 });
  for (const { workspaceNumber } of [purged, kept]) await fill(workspaceNumber);
});

async function findTables(): Promise<Table[]> {
  const { results } = await env.MAIL_0.prepare(
    "SELECT name, sql AS ddl FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all<Omit<Table, "columns">>();
  const columnsOf = (name: string) =>
    env.MAIL_0.prepare("SELECT name, type, [notnull], pk FROM pragma_table_info(?1)").bind(name).all<Column>();
  const all = await Promise.all(
    results.map(async (table) => ({ ...table, columns: (await columnsOf(table.name)).results })),
  );
  return all.filter(({ columns }) => columns.some(({ name }) => name === "workspace"));
}

/** Inserts a row of a workspace into each table, and an indexed email with an outbox row. */
async function fill(workspace: number): Promise<void> {
  for (const table of tables) {
    // Broadcasts have the number of their workspace here, by which rows of other tables name them.
    const columns = table.columns.filter(
      ({ notnull, pk, name }) => notnull === 1 && (name !== "n" || pk !== 1 || table.name === "broadcasts"),
    );
    const values = columns.map((column) => fillerFor(table, column, workspace));
    const names = columns.map(({ name }) => name);
    await mail
      .prepare(`INSERT INTO ${table.name} (${names.join()}) VALUES (${names.map(() => "?").join()})`)
      .bind(...values)
      .run();
  }
  const email = await mail
    .prepare("SELECT n, id FROM emails WHERE workspace = ?1")
    .bind(workspace)
    .first<{ n: number; id: string }>();
  await mail.batch([
    mail
      .prepare("UPDATE outbox SET id = ?1, kind = 'deliver', ref = ?2 WHERE workspace = ?3")
      .bind(email?.id, `[${email?.n}]`, workspace),
    mail.prepare("INSERT INTO email_search (rowid) VALUES (?1)").bind(email?.n),
  ]);
}

function fillerFor({ ddl }: Table, { name, type }: Column, workspace: number): unknown {
  if (name === "workspace" || name === "broadcast") return workspace;
  if (new RegExp(`\\b${name} IN \\(0, 1\\)`).test(ddl)) return 1;
  if (type === "BLOB") return crypto.getRandomValues(new Uint8Array(16));
  if (type === "INTEGER") return name === "day" ? Math.floor(Date.now() / 86_400_000) : workspace;
  const [, first] = new RegExp(`\\b${name} IN \\('([^']*)'`).exec(ddl) ?? [];
  return first ?? (name === "id" ? crypto.randomUUID() : "[]");
}

/** Counts the rows of a workspace in each table, and those that its emails have in tables without a workspace. */
async function countRows({ workspaceNumber }: TestWorkspace): Promise<Record<string, number>> {
  const counts = tables.map(async ({ name }) => {
    const sql = `SELECT count(*) AS n FROM ${name} WHERE workspace = ?1`;
    return [name, (await mail.prepare(sql).bind(workspaceNumber).first<number>("n")) ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

it("leaves no mail row in any database, and none of another workspace is deleted", async () => {
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(["emails", "contacts", "broadcasts"]));
  const everyTable = Object.fromEntries(tables.map(({ name }) => [name, 1]));
  expect(await countRows(purged)).toEqual(everyTable);

  const session = await aSession(purged);
  expect((await session.call("DELETE", `/v1/workspaces/${purged.workspaceId}`)).status).toBe(204);
  for (let run = 0; run < 3; run++) await runOutboxAt(Date.now() + LATER_MS * (run + 1), {}, ["purge"]);

  const empty = Object.fromEntries(tables.map(({ name }) => [name, 0]));
  expect(await countRows(purged)).toEqual(empty);
  expect(await countRows(kept)).toEqual(everyTable);
  expect((await mail.prepare("SELECT id FROM outbox WHERE kind = 'deliver'").all()).results).toHaveLength(1);
  expect((await mail.prepare("SELECT id FROM email_search_docsize").all()).results).toHaveLength(1);
  const closed = mail.prepare("SELECT status FROM shard_workspaces WHERE number = ?1").bind(purged.workspaceNumber);
  expect(await closed.first("status")).toBe("closed");
  expect(await database.row("SELECT 1 FROM workspaces WHERE number = ?1", [purged.workspaceNumber])).toBeNull();
});

it("deletes wide rows in steps of 8 MB, and what is found by a broadcast before it", async () => {
  const { workspaceNumber, workspaceId } = await aWorkspace({ mailShard: 1 });
  await fill(workspaceNumber);
  const wide = (sql: string, count: number) =>
    mail
      .prepare(sql)
      .bind(workspaceNumber, JSON.stringify(Array.from({ length: count }, (_, n) => `${n}`)))
      .run();
  await wide(
    `INSERT INTO broadcast_variants (broadcast, workspace, id, label, subject, weight, created_at, html_body)
     SELECT ?1, ?1, value, value, '', 1, 0, hex(zeroblob(950000)) FROM json_each(?2)`,
    9,
  );
  await wide(
    `INSERT INTO webhook_deliveries (id, workspace, endpoint, email, event_type, payload, status, created_at)
     SELECT value, ?1, '', '', '', hex(zeroblob(950000)), 'delivered', 0 FROM json_each(?2)`,
    9,
  );
  const ctx = testContext();
  const steps: number[][] = [];
  for (let isDone = false; !isDone; ) {
    const counts = await countRows({ workspaceNumber } as TestWorkspace);
    steps.push(["broadcast_variants", "webhook_deliveries", "broadcasts"].map((name) => counts[name] ?? 0));
    isDone = await purgeWorkspace(ctx, { workspace: workspaceNumber, id: workspaceId });
  }
  // Four of 1.9 MB at once, and the one without content when it is among the first.
  const deleted = steps.slice(1).map((left, step) => left.map((count, table) => (steps[step]?.[table] ?? 0) - count));
  expect(deleted.every(([variants = 0, deliveries = 0]) => variants <= 5 && deliveries <= 5)).toBe(true);
  expect(steps.map(([, , broadcasts]) => broadcasts)).toEqual([1, 1, 1, 0]);
  expect(steps.at(-1)).toEqual([0, 0, 0]);
});
