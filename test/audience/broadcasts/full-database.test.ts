/** A broadcast waits while its mail database is too full, or its invocation has no D1 statements or no work left, and then goes on. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runBroadcasts } from "../../../src/audience/broadcasts/index.ts";
import type { WakeUp } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { onShard, withLimits } from "../../../src/platform/jobs/shards.ts";
import { newRunLimits, type RunLimits } from "../../../src/sending/delivery/index.ts";
import { database, FILE_SHARD } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace, discardingQueue } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf } from "./support.ts";

const MINUTE = 61_000;
/** Contacts of a page and of the rest of the list. */
const [PAGE, REST] = [1_000, 200];

const setSize = (size: number) =>
  database.run("INSERT OR REPLACE INTO mail_shards (number, size) VALUES (?1, ?2)", [FILE_SHARD, size]);

it("makes no email above the limit, tells the queue to look again, and mails every contact once in the end", async () => {
  const workspace = await aWorkspace();
  const broadcasts = broadcastsOf(workspace);
  const contact_list_id = await aContactList(workspace, PAGE + REST);
  const { id } = await broadcasts.create({ contact_list_id });
  let now = Date.now();
  const run = (settings: Record<string, unknown> = {}) => {
    now += MINUTE;
    return runOutboxAt(now, settings, ["broadcast"]);
  };
  await setSize(9_900_000_000);
  await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
  for (let minute = 0; minute < 3; minute++) await run();
  expect(await emailsOf(id)).toHaveLength(0);
  // Measured below the limit, and above it after the first page.
  await setSize(0);
  await run({ SHARD_ACCEPT_LIMIT: "1" });
  expect(await emailsOf(id)).toHaveLength(PAGE);
  await setSize(9_900_000_000);
  for (let minute = 0; minute < 3; minute++) await run();
  expect(await emailsOf(id)).toHaveLength(PAGE);
  expect(await broadcasts.read(id)).toMatchObject({ status: "sending", queued_count: PAGE });
  await setSize(8_900_000_000);
  await run();
  expect(new Set((await emailsOf(id)).map(({ email }) => email)).size).toBe(PAGE + REST);
  expect(await emailsOf(id)).toHaveLength(PAGE + REST);
  expect(await broadcasts.read(id)).toMatchObject({ queued_count: PAGE + REST });
  await setSize(0);
});

it("makes no email while its workspace has as much content as it may, and goes on", async () => {
  const workspace = await aWorkspace();
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 3) });
  await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
  const store = (stored: string) =>
    database.run("UPDATE workspaces SET stored = ?2 WHERE number = ?1", [workspace.workspaceNumber, stored]);
  await store('{"content":50000}');
  await runOutboxAt(Date.now() + MINUTE, {}, ["broadcast"]);
  expect(await emailsOf(id)).toHaveLength(0);
  await store("{}");
  await runOutboxAt(Date.now() + 120 * MINUTE, {}, ["broadcast"]);
  expect(await emailsOf(id)).toHaveLength(3);
});

it("is left to the next invocation when this one has not enough D1 statements left", async () => {
  const workspace = await aWorkspace();
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 3) });
  await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
  for (const [statements, emails] of [
    [200, 0],
    [780, 3],
  ] as const) {
    await run({ ...newRunLimits(), statements });
    expect(await emailsOf(id)).toHaveLength(emails);
  }
});

it("makes as many emails as the work of its invocation allows, and each contact gets one in the end", async () => {
  const workspace = await aWorkspace();
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({
    language: "liquid",
    contact_list_id: await aContactList(workspace, 10),
    subject: "{% for n in (1..900) %}{% endfor %}Hello {{ email }}",
  });
  await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
  // About 200,000 for each subject: 900 passes, whose list is read twice.
  for (const made of [4, 8, 10]) {
    const limits = { ...newRunLimits(), work: 700_000 };
    await run(limits);
    expect(await emailsOf(id)).toHaveLength(made);
  }
  expect(new Set((await emailsOf(id)).map(({ email }) => email)).size).toBe(10);
  expect(await broadcasts.read(id)).toMatchObject({ queued_count: 10 });
});

/** Processes the outbox rows of broadcasts in an invocation with these limits. */
async function run(limits: RunLimits): Promise<void> {
  const bindings = { ...env, WORK: discardingQueue } as unknown as Env;
  const ctx = onShard(withLimits(createContext(bindings, "test"), limits), FILE_SHARD);
  await runBroadcasts(
    ctx,
    await database.rows<WakeUp>("SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'broadcast'"),
  );
}
