/** The notices to owners and operators before a mail database is full (docs/operating/capacity.md). */

import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { requireOpenStatement } from "../../../src/platform/db/shard-workspaces.ts";
import { FILE_SHARD } from "../../support/databases.ts";
import { runHour } from "../../support/retention.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const now = Date.now();

/** Adds a workspace with so many recipients in the last hour. */
async function aSender(sent: number): Promise<TestWorkspace> {
  const workspace = await aWorkspace();
  const { workspaceNumber, workspaceId } = workspace;
  await requireOpenStatement(testContext(), { number: workspaceNumber, id: workspaceId }).run();
  const hour = Math.floor(now / 3_600_000) - 1;
  await run("INSERT INTO rollups_totals (workspace, hour, sent) VALUES (?1, ?2, ?3)", workspaceNumber, hour, sent);
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
  await run("DELETE FROM rollups_totals");
});

it("tells the owners of the three largest workspaces once a day, by the mail that they keep, and no others", async () => {
  const senders: TestWorkspace[] = [];
  for (const sent of [4_000, 3_000, 2_000, 1_000]) senders.push(await aSender(sent));
  // With 30 of 365 days it keeps less than the last one.
  const [first] = senders as [TestWorkspace];
  await first.call("PATCH", `/v1/workspaces/${first.workspaceId}`, { settings: { retention_days: 30 } });
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
