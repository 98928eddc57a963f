/** State of the version with one database: it becomes the mail database 0, and its small tables are copied to the main one. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { copyToMain } from "../../dev/copy-to-main.ts";
import { accepted, eventTypes } from "../support/emails.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, type TestWorkspace } from "../support/workspace.ts";

const MAILS = 12;
const { TEST_OLD: old, TEST_OLD_MAIN: main } = env;

const runAll = (db: D1Database, statements: readonly string[]) =>
  db.batch(statements.map((statement) => db.prepare(statement)));

async function tablesOf(db: D1Database): Promise<string[]> {
  const { results } = await db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\' OR sql LIKE 'CREATE TABLE %STRICT%' AND type = 'table'",
    )
    .all<{ name: string }>();
  return [...new Set(results.map(({ name }) => name))].filter(
    (name) => !/^(_cf|sqlite|d1|main_copy|mail_shards)/.test(name),
  );
}

/** Copies the rows of a database into the tables of the old form, column by column. */
async function fillOldForm(from: D1Database): Promise<void> {
  await old.prepare("PRAGMA defer_foreign_keys = true").run();
  for (const table of await tablesOf(from)) {
    const { results: columns } = await old
      .prepare("SELECT name FROM pragma_table_info(?1)")
      .bind(table)
      .all<{ name: string }>();
    const { results } = await from.prepare(`SELECT * FROM ${table}`).all<Record<string, unknown>>();
    const names = columns.map(({ name }) => name).filter((name) => results[0] && name in results[0]);
    if (results.length === 0 || names.length === 0) continue;
    const insert = `INSERT OR REPLACE INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`;
    await old.batch([
      old.prepare("PRAGMA defer_foreign_keys = true"),
      ...results.map((row) => old.prepare(insert).bind(...names.map((name) => row[name]))),
    ]);
  }
}

/** Sends emails and creates an API key, each with an Idempotency-Key; suppresses an address. */
async function use(workspace: TestWorkspace) {
  const api = apiOn({ WORK: discardingQueue }, workspace.apiKey);
  const ids: string[] = [];
  for (let n = 0; n < MAILS; n++) {
    const key = { "Idempotency-Key": `mail-${n}` };
    ids.push((await accepted(await api.post("/v1/emails/", aMail(workspace, { subject: `Mail ${n}` }), key))).id);
  }
  const created = await api.post("/v1/api-keys/", { name: "Another" }, { "Idempotency-Key": "a key" });
  const suppressed = await api.post("/v1/suppressions/", { email: "no@example.org", reason: "manual" });
  expect([created.status, suppressed.status]).toEqual([201, 201]);
  return { ids, created: await created.json<{ id: string; key: string }>() };
}

it("keeps every email, event, key and idempotent response, also when the copy is interrupted and repeated", async () => {
  const workspace = await aWorkspace({ mailShard: 0 });
  const { ids, created } = await use(workspace);
  await runAll(old, env.TEST_MIGRATIONS.beforeSplit);
  await runAll(main, env.TEST_MIGRATIONS.main);
  await fillOldForm(env.DB);
  await fillOldForm(env.MAIL_0);
  await old.prepare("UPDATE sqlite_sequence SET seq = 900 WHERE name = 'workspaces'").run();

  await expect(runAll(old, env.TEST_MIGRATIONS.split)).rejects.toThrow("malformed JSON");
  let calls = 0;
  const interrupted = {
    prepare: (statement: string) => main.prepare(statement),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      calls += 1;
      if (calls === 4) throw new Error("killed");
      return main.batch<Row>(statements);
    },
  } as D1Database;
  await expect(copyToMain(old, interrupted)).rejects.toThrow("killed");
  await copyToMain(old, main);
  await runAll(old, env.TEST_MIGRATIONS.split);

  const after = apiOn({ DB: main, MAIL_0: old, WORK: discardingQueue }, workspace.apiKey);
  const list = await (await after.get("/v1/emails/?limit=100")).json<{ id: string; subject: string }[]>();
  expect(list.map(({ id }) => id).sort()).toEqual([...ids].sort());
  for (const id of ids) {
    expect(await eventTypes(after, id)).toEqual(["queued"]);
    const content = await (await after.get(`/v1/emails/${id}`)).json<{ text_body: string | null }>();
    expect(JSON.stringify(content)).toContain("A text.");
  }
  const replayedMail = await after.post("/v1/emails/", aMail(workspace, { subject: "Mail 3" }), {
    "Idempotency-Key": "mail-3",
  });
  expect([replayedMail.headers.get("Idempotency-Replayed"), (await replayedMail.json<{ id: string }>()).id]).toEqual([
    "true",
    ids[3],
  ]);
  const replayedKey = await after.post("/v1/api-keys/", { name: "Another" }, { "Idempotency-Key": "a key" });
  expect(await replayedKey.json()).toEqual(created);
  const withNewKey = apiOn({ DB: main, MAIL_0: old, WORK: discardingQueue }, created.key);
  expect((await withNewKey.get("/v1/emails/")).status).toBe(200);
  expect(await (await after.get("/v1/suppressions/")).json()).toMatchObject([{ email: "no@example.org" }]);
  const rejected = await accepted(
    await after.post("/v1/emails/", aMail(workspace, { to: [{ email: "no@example.org" }] })),
  );
  expect(rejected.status).toBe("rejected");
  const shards = await main.prepare("SELECT mail_shards FROM workspaces").all();
  expect(shards.results).toEqual([{ mail_shards: "[0]" }]);
  const next = await main.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'workspaces'").first("seq");
  expect(next).toBe(900);
});
