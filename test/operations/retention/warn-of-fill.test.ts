/** The notices to owners and operators before a mail database is full (docs/operating/capacity.md). */

import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { MAIN_NUMBER } from "../../../src/platform/jobs/shard-sizes.ts";
import { FILE_SHARD } from "../../support/databases.ts";
import { runHour, runMainHour } from "../../support/retention.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const now = Date.now();

/** Adds a workspace with so many events. */
async function aSender(events: number): Promise<TestWorkspace> {
  const workspace = await aWorkspace();
  const insert = `INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at)
    WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?2)
    SELECT ?1, ?1 || '-' || n, 'a@example.org', 'seen', '{}', 0, 0 FROM c`;
  await run(insert, workspace.workspaceNumber, events);
  return workspace;
}

const setSize = (size: number) =>
  env.DB.prepare("INSERT OR REPLACE INTO mail_shards (number, size) VALUES (?1, ?2)").bind(FILE_SHARD, size).run();

const retain = (at = now) => runHour(testContext({}, () => at));

const titles = async ({ workspaceNumber }: TestWorkspace) => {
  const notified = env.DB.prepare("SELECT title FROM notifications WHERE workspace = ?1").bind(workspaceNumber);
  return (await notified.all<{ title: string }>()).results.map(({ title }) => title);
};
const TITLE = "The database with your mail is nearly full";

beforeEach(async () => {
  await run("DELETE FROM events");
});

it("tells the owners of the three largest workspaces once a day, by what they have in it, and no others", async () => {
  const senders: TestWorkspace[] = [];
  for (const sent of [300, 400, 600, 500]) senders.push(await aSender(sent));
  await setSize(8_000_000_000);
  await retain();
  await retain();
  const told = () => Promise.all(senders.map(async (sender) => (await titles(sender)).filter((one) => one === TITLE)));
  expect(await told()).toEqual([[], [TITLE], [TITLE], [TITLE]]);
  await retain(now + DAY);
  expect((await told()).map(({ length }) => length)).toEqual([0, 2, 2, 2]);
});

it("tells no owner below the limit", async () => {
  const sender = await aSender(1_000);
  await setSize(7_999_999_999);
  await retain();
  expect(await titles(sender)).not.toContain(TITLE);
});

it("tells the operators by email, once a day", async () => {
  const system = await aWorkspace();
  const operator = await aWorkspace();
  await env.DB.prepare("UPDATE users SET is_platform_admin = 1 WHERE id = ?1").bind(operator.userId).run();
  const email = await env.DB.prepare("SELECT email FROM users WHERE id = ?1").bind(operator.userId).first("email");
  await setSize(8_500_000_000);
  for (let time = 0; time < 2; time++) await runHour(testContext({ SYSTEM_MAILBOX: system.mailbox }, () => now));
  const found = await system.get("/v1/emails/?limit=10");
  expect(await found.json<{ subject: string; to_addresses: string[] }[]>()).toMatchObject([
    { subject: `Mail database ${FILE_SHARD} is nearly full: 8.5 GB`, to_addresses: [email] },
  ]);
  await env.DB.prepare("UPDATE users SET is_platform_admin = 0 WHERE id = ?1").bind(operator.userId).run();
});

it("tells the operators that the main database is nearly full, and refuses imports and templates", async () => {
  const [system, operator] = [await aWorkspace(), await aWorkspace()];
  await env.DB.prepare("UPDATE users SET is_platform_admin = 1 WHERE id = ?1").bind(operator.userId).run();
  const set = "INSERT OR REPLACE INTO mail_shards (number, size) VALUES (?1, 5500000000)";
  await env.DB.prepare(set).bind(MAIN_NUMBER).run();
  for (let time = 0; time < 2; time++) await runMainHour(testContext({ SYSTEM_MAILBOX: system.mailbox }, () => now));
  const found = await system.get("/v1/emails/?limit=10");
  expect((await found.json<{ subject: string }[]>()).map(({ subject }) => subject)).toEqual([
    "The main database is nearly full: 5.5 GB",
  ]);
  const refused = await operator.post("/v1/templates/", { name: "A", subject: "A", text_body: "A" });
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "300"]);
  expect((await operator.post("/v1/topics/", { name: "A" })).status).toBe(201);
  await env.DB.prepare("UPDATE users SET is_platform_admin = 0 WHERE id = ?1").bind(operator.userId).run();
  await env.DB.prepare("DELETE FROM mail_shards WHERE number = ?1").bind(MAIN_NUMBER).run();
});
