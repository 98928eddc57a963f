/** State of the version with one database: it becomes the mail database 0, and its small tables are copied to the main one. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { copyToMain } from "../../../dev/copy-to-main.ts";
import { accepted } from "../../support/emails.ts";
import { failingDatabase, type Moment } from "../../support/failures.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import {
  aMail,
  apiOn,
  type apiWith,
  aWorkspace,
  discardingQueue,
  type TestWorkspace,
} from "../../support/workspace.ts";

/** Recipients at the simulator, by the status that their email gets. */
const RECIPIENTS = {
  delivered: "delivered",
  bounced: "bounced",
  queued: "deferred",
  rejected: "suppressed",
};
const PATHS = [
  "/v1/emails/?limit=100",
  "/v1/emails/scheduled",
  "/v1/emails/search?q=Mail",
  "/v1/emails/saved-searches",
  "/v1/api-keys/",
  "/v1/suppressions/",
  "/v1/contacts/",
  "/v1/broadcasts/",
  "/v1/templates/",
  "/v1/domains/",
  "/v1/mailboxes/",
];
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

/** Makes every kind of record; those with an Idempotency-Key are repeated after the upgrade. */
async function use(workspace: TestWorkspace) {
  const api = workspace.withoutQueue;
  const send = async (changes: Record<string, unknown>, key?: string) => {
    const headers = key ? { "Idempotency-Key": key } : undefined;
    return (await accepted(await api.post("/v1/emails/", aMail(workspace, changes), headers))).id;
  };
  const ids = [];
  for (const [status, local] of Object.entries(RECIPIENTS))
    ids.push(await send({ subject: `Mail ${status}`, to: [{ email: `${local}@simulator.test` }] }, `mail-${status}`));
  const in_an_hour = new Date(Date.now() + 3_600_000).toISOString();
  ids.push(await send({ subject: "Mail scheduled", send_at: in_an_hour }));
  const cancelled = await send({ subject: "Mail cancelled", send_at: in_an_hour });
  ids.push(cancelled);
  await runOutboxAt(Date.now(), {}, ["deliver"]);
  ids.push(await send({ subject: "Mail waiting" }));
  const list = await api.post("/v1/contacts/", { name: "A list" });
  const { id: listId } = await list.json<{ id: string }>();
  const created = await api.post("/v1/api-keys/", { name: "Another" }, { "Idempotency-Key": "a key" });
  const calls = [
    await api.call("DELETE", `/v1/emails/scheduled/${cancelled}`),
    list,
    created,
    await api.post(`/v1/contacts/${listId}/contacts`, { email: "gone@example.org", name: "Gone" }),
    await api.post("/v1/suppressions/", { email: "no@example.org", reason: "manual" }),
    await api.post("/v1/suppressions/", { email: "gone@example.org", reason: "unsubscribe" }),
    await api.post("/v1/templates/", { name: "A template", html_body: "<p>Hello</p>" }),
    await api.post("/v1/broadcasts/", {
      ...{ name: "News", subject: "News", from_address: workspace.mailbox },
      // That version made no texts.
      text_from_html: false,
    }),
    await api.call("PUT", "/v1/emails/saved-searches", { searches: [{ name: "Bounces" }] }),
  ];
  expect(calls.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
  return { ids, listId, created: await created.json<{ id: string; key: string }>() };
}

/** Reads all records by the API. */
async function readAll(api: ReturnType<typeof apiWith>, { ids, listId }: { ids: string[]; listId: string }) {
  const paths = [...PATHS, `/v1/contacts/${listId}`, `/v1/contacts/${listId}/export`];
  for (const id of ids) paths.push(`/v1/emails/${id}`, `/v1/emails/${id}/events`);
  const responses = paths.map(async (path) => {
    const response = await api.get(path);
    const text = await response.text();
    return [
      path,
      response.status,
      text.replace(/"(last_used_at|seconds_until_send)":("[^"]*"|null|\d+)/g, ""),
    ] as const;
  });
  return Promise.all(responses);
}

/**
 * Copies until a copy completes. The first one is interrupted at its first call, the next at its second, and so on, in turn
 * before and after the call is done. Returns the number of interruptions.
 */
async function copyWithInterruptions(): Promise<number> {
  for (let failing = 0; ; failing++) {
    const moment: Moment = failing % 2 === 0 ? "before" : "after";
    let calls = 0;
    const random = () => (calls++ === failing ? 0 : 0.99);
    const injection = { random, chance: 0.5, bindings: ["database"], moments: [moment], count: 0 } as const;
    const shared = { ...injection };
    const [from, to] = [failingDatabase(old, shared), failingDatabase(main, shared)] as unknown as [
      D1Database,
      D1Database,
    ];
    const isInterrupted = await copyToMain(from, to).then(
      () => false,
      (error: Error) => error.message.startsWith("injected failure"),
    );
    expect(isInterrupted).toBe(shared.count > 0);
    if (!isInterrupted) return failing;
  }
}

it("keeps every record of every kind, also when the copy is interrupted at each of its steps and repeated", async () => {
  const workspace = await aWorkspace({ mailShard: 0 });
  const records = await use(workspace);
  const session = await aSession(workspace);
  const before = await readAll(workspace.withoutQueue, records);
  expect(before.filter(([, status]) => status !== 200)).toEqual([]);
  const statuses = JSON.stringify(before).match(/\\"status\\":\\"(\w+)\\"/g) ?? [];
  expect(new Set(statuses).size).toBeGreaterThanOrEqual(6);
  await runAll(old, env.TEST_MIGRATIONS.beforeSplit);
  await runAll(main, env.TEST_MIGRATIONS.main);
  await fillOldForm(env.DB);
  await fillOldForm(env.MAIL_0);
  // The search index is not copied here; the real database keeps it.
  await old.prepare("UPDATE search_progress SET n = 0").run();
  // A workspace that has been deleted had the last number; other files of the isolate may have used higher ones than this file.
  const findLast = "SELECT seq FROM sqlite_sequence WHERE name = 'workspaces'";
  const last = ((await old.prepare(findLast).first<number>("seq")) ?? 0) + 100;
  await old.prepare("UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'workspaces'").bind(last).run();

  await expect(runAll(old, env.TEST_MIGRATIONS.split)).rejects.toThrow("malformed JSON");
  expect(await copyWithInterruptions()).toBeGreaterThan(20);
  await runAll(old, env.TEST_MIGRATIONS.split);

  const bindings = { DB: main, MAIL_0: old, WORK: discardingQueue };
  const after = apiOn(bindings, workspace.apiKey);
  expect(await readAll(after, records)).toEqual(before);
  await expectRepeats(after, workspace, records);
  const suppressed = await main.prepare("SELECT email, unsubscribed_at IS NOT NULL AS is_set FROM suppressions").all();
  expect(suppressed.results).toContainEqual({ email: "gone@example.org", is_set: 1 });
  expect(suppressed.results).toContainEqual({ email: "no@example.org", is_set: 0 });
  expect((await apiOn(bindings, records.created.key).get("/v1/emails/")).status).toBe(200);
  const cookie = { Cookie: `session=${session.tokens.accessToken}` };
  expect((await apiOn(bindings, null).get("/v1/me", cookie)).status).toBe(200);
  const shards = await main.prepare("SELECT mail_shards FROM workspaces").all();
  expect(shards.results).toEqual([{ mail_shards: "[0]" }]);
  expect(await main.prepare(findLast).first("seq")).toBe(last);
});

/** Checks that repeated requests get the responses that they got before the upgrade, and that suppressions count. */
async function expectRepeats(
  api: ReturnType<typeof apiWith>,
  workspace: TestWorkspace,
  { ids, created }: Awaited<ReturnType<typeof use>>,
): Promise<void> {
  const to = [{ email: "delivered@simulator.test" }];
  const mail = aMail(workspace, { subject: "Mail delivered", to });
  const repeated = await api.post("/v1/emails/", mail, { "Idempotency-Key": "mail-delivered" });
  expect(repeated.headers.get("Idempotency-Replayed")).toBe("true");
  expect((await repeated.json<{ id: string }>()).id).toBe(ids[0]);
  const repeatedKey = await api.post("/v1/api-keys/", { name: "Another" }, { "Idempotency-Key": "a key" });
  expect(await repeatedKey.json()).toEqual(created);
  const rejected = await api.post("/v1/emails/", aMail(workspace, { to: [{ email: "no@example.org" }] }));
  expect((await accepted(rejected)).status).toBe("rejected");
}
