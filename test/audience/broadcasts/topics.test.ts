import { beforeEach, expect, it } from "vitest";
import type { AudienceOut } from "../../../src/audience/broadcasts/report-schema.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));
let list: string;
let topic: string;

beforeEach(async () => {
  list = await aContactList(workspace, 6);
  topic = (await aTopic(workspace)).id;
});

const addressOf = (n: number) => `delivered+${n}@simulator.test`;
const leave = (n: number, of = topic) => personOf(workspace, addressOf(n)).choose(of, "unsubscribed");
const join = (n: number, of = topic) => personOf(workspace, addressOf(n)).choose(of, "subscribed");
const create = (changes: object = {}) => broadcasts.create({ contact_list_id: list, topic_id: topic, ...changes });
const audience = async (id: string) =>
  (await broadcasts.api.get(`${broadcasts.path(id)}/audience`)).json<AudienceOut>();
const counts = (eligible: number, unsubscribed: number) => ({
  ...{ eligible, skipped: { suppressed: 0, unsubscribed, invalid: 0, pending: 0 } },
  ...{ sample: eligible, remainder: 0 },
});
const mailed = async (id: string) => (await emailsOf(id)).map(({ email, status }) => `${email} ${status}`).sort();

it("a broadcast of a topic goes to its subscribers, and counts the others as unsubscribed", async () => {
  await leave(1);
  await leave(2);
  await personOf(workspace, "else@example.org").choose(topic, "unsubscribed");
  const { id, topic_id } = await create();
  expect(topic_id).toBe(topic);
  expect(await audience(id)).toEqual(counts(4, 2));
  await broadcasts.act(id, "send");
  await runBroadcasts();
  expect(await mailed(id)).toEqual([0, 3, 4, 5].map((n) => `${addressOf(n)} delivered`));
  expect(await audience(id)).toEqual(counts(4, 2));
});

it("a topic that persons must join reaches only those who have", async () => {
  const optIn = (await aTopic(workspace, { default: "unsubscribed" })).id;
  await join(1, optIn);
  await leave(2, optIn);
  const { id } = await create({ topic_id: optIn });
  expect(await audience(id)).toEqual(counts(1, 5));
  await broadcasts.act(id, "send");
  await runBroadcasts();
  expect(await mailed(id)).toEqual([`${addressOf(1)} delivered`]);
});

it("an unsubscribe stops it between send and fan-out, and between fan-out and dispatch", async () => {
  const { id } = await create();
  await broadcasts.act(id, "send");
  await leave(1);
  const start = Date.now();
  await runOutboxAt(start, {}, ["broadcast"]);
  expect(await emailsOf(id)).toHaveLength(5);
  await leave(2);
  await runBroadcasts(start + 61_000);
  expect(await mailed(id)).toEqual([
    `${addressOf(0)} delivered`,
    `${addressOf(2)} rejected`,
    ...[3, 4, 5].map((n) => `${addressOf(n)} delivered`),
  ]);
});

it("the choice counts whatever happens to contacts and lists, and for each list", async () => {
  await leave(1);
  await broadcasts.api.call("DELETE", `/v1/contacts/${list}`);
  await runOutboxAt(Date.now() + 600_000);
  list = await aContactList(workspace, 2);
  const { id } = await create();
  await broadcasts.act(id, "send");
  await runBroadcasts();
  expect(await mailed(id)).toEqual([`${addressOf(0)} delivered`]);
});

it("a deleted topic: a draft is a 422, a scheduled broadcast is cancelled", async () => {
  const draft = await create();
  const due = Date.now() + 3_600_000;
  const scheduled = await create({ scheduled_at: new Date(due).toISOString() });
  await leave(1);
  await broadcasts.api.call("DELETE", `/v1/topics/${topic}`);
  const response = await broadcasts.act(draft.id, "send");
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('["body","topic_id"]')]);
  expect(await audience(draft.id)).toEqual(counts(0, 6));
  await runBroadcasts(due + 1_000);
  expect((await broadcasts.read(scheduled.id)).status).toBe("cancelled");
  expect(await emailsOf(scheduled.id)).toEqual([]);
  const patched = await broadcasts.api.call("PATCH", broadcasts.path(draft.id), { topic_id: null });
  expect(await patched.json()).toMatchObject({ topic_id: null });
});

it("a deleted topic cancels a broadcast that is sending, before and after its emails are made", async () => {
  for (const isFannedOut of [false, true]) {
    topic = (await aTopic(workspace)).id;
    const { id } = await create();
    await broadcasts.act(id, "send");
    const start = Date.now();
    if (isFannedOut) await runOutboxAt(start, {}, ["broadcast"]);
    await broadcasts.api.call("DELETE", `/v1/topics/${topic}`);
    await runBroadcasts(start + 61_000);
    expect((await broadcasts.read(id)).status).toBe("cancelled");
    const statuses = new Set((await emailsOf(id)).map(({ status }) => status));
    expect([...statuses]).toEqual(isFannedOut ? ["cancelled"] : []);
  }
});

it("a sample is checked against the subscribers", async () => {
  const { id } = await create({ ab_test_pct: 50 });
  await broadcasts.addVariant(id, "A");
  await broadcasts.addVariant(id, "B");
  for (const n of [0, 1, 2, 3, 4]) await leave(n);
  const response = await broadcasts.act(id, "send");
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("ab_test_pct")]);
  for (const n of [0, 1, 2, 3, 4]) await join(n);
  expect((await broadcasts.act(id, "send")).status).toBe(200);
});

it("a bulk send of a topic skips those who left it, and counts them", async () => {
  await leave(1);
  const send = (topicId: string) =>
    broadcasts.api.post(`/v1/contacts/${list}/send`, {
      ...{ contact_list_id: list, mailbox_id: workspace.mailboxId, subject: "News", text: "News", topic_id: topicId },
    });
  expect(await (await send(topic)).json()).toEqual({
    ...{ queued: 5, skipped: 1 },
    errors: ["1: skipped, not subscribed to the topic"],
  });
  await runBroadcasts();
  const results = await database.rows<{ email: string }>(
    "SELECT recipients->>'$[0].email' AS email FROM emails WHERE workspace = ?1 AND topic IS NOT NULL ORDER BY 1",
    [workspace.workspaceNumber],
  );
  expect(results.map(({ email }) => email)).toEqual([0, 2, 3, 4, 5].map(addressOf));
  const foreign = await aTopic(await aWorkspace());
  expect((await send(foreign.id)).status).toBe(404);
});

it("a topic of another workspace, or none, is a 404", async () => {
  const foreign = await aTopic(await aWorkspace());
  for (const topic_id of [foreign.id, "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7aff"]) {
    const fields = { name: "A", subject: "B", from_address: workspace.mailbox, topic_id };
    expect((await broadcasts.api.post("/v1/broadcasts/", fields)).status).toBe(404);
  }
});
