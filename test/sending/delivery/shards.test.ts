/** Two mail databases: messages name theirs, and one that is down does not keep the other from delivering. */
import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runSchedule } from "../../../src/cron.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { consume } from "../../../src/queue.ts";
import { accepted, readEmail } from "../../support/emails.ts";
import { ManualQueue } from "../../support/failures.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, apiOn, aWorkspace, discardingQueue } from "../../support/workspace.ts";

const down = {
  prepare: () => {
    throw new Error("D1 is down");
  },
  batch: () => Promise.reject(new Error("D1 is down")),
};

/** Accepts an email on each mail database. Nothing is delivered. */
async function anEmailOnEach() {
  const workspaces = [await aWorkspace({ mailShard: 0 }), await aWorkspace({ mailShard: 1 })] as const;
  const emails = [];
  for (const workspace of workspaces) {
    const WORK = new ManualQueue<OutboxMessage>();
    const { id } = await accepted(await apiOn({ WORK }, workspace.apiKey).post("/v1/emails/", aMail(workspace)));
    const [body] = WORK.take();
    if (!body) throw new Error("no message was sent");
    emails.push({ id, body, status: async () => (await readEmail(workspace, id)).status });
  }
  return emails;
}

async function consumeAll(bodies: readonly OutboxMessage[], bindings: Record<string, unknown>): Promise<string[]> {
  const messages = bodies.map((body, index) => ({ id: String(index), timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch<OutboxMessage>("work", messages);
  await consume(batch, { ...env, WORK: discardingQueue, ...bindings } as unknown as Env);
  return (await getQueueResult(batch, createExecutionContext())).retryMessages.map(({ msgId }) => msgId);
}

it("a wake-up with the number of another database does nothing", async () => {
  const sink = await sinkServer();
  await Promise.all([env.MAIL_0, env.MAIL_1].map((db) => db.prepare("DELETE FROM outbox").run()));
  const [email] = await anEmailOnEach();
  if (!email) throw new Error("no email");
  const rows = async (db: D1Database) => (await db.prepare("SELECT * FROM outbox").all()).results;
  await env.MAIL_1.prepare("DELETE FROM outbox").run();
  const before = await rows(env.MAIL_0);
  expect(before).toHaveLength(1);
  expect(await consumeAll([{ ...email.body, database: 1 }], { EGRESS_URL: sink.url })).toEqual([]);
  expect([await rows(env.MAIL_0), await rows(env.MAIL_1)]).toEqual([before, []]);
  expect([await email.status(), await sink.messages()]).toEqual(["queued", []]);
  // The email is in one database only, and the right number delivers it.
  for (const [db, count] of [
    [env.MAIL_0, 1],
    [env.MAIL_1, 0],
  ] as const) {
    const found = await db.prepare("SELECT count(*) AS n FROM emails WHERE id = ?1").bind(email.id).first("n");
    expect(found).toBe(count);
  }
  await consumeAll([email.body], { EGRESS_URL: sink.url });
  expect([await email.status(), (await sink.messages()).length]).toEqual(["delivered", 1]);
});

it("with one database down, workspaces of the other send and read, and those of the first get 500 and keep their mail", async () => {
  const [first, second] = [await aWorkspace({ mailShard: 0 }), await aWorkspace({ mailShard: 1 })];
  const ids = [];
  for (const { apiKey, ...workspace } of [first, second]) {
    const api = apiOn({ WORK: discardingQueue }, apiKey);
    ids.push((await accepted(await api.post("/v1/emails/", aMail(workspace)))).id);
  }
  const paths = ["/v1/emails/", "/v1/emails/search?q=subject", "/v1/contacts/", "/v1/broadcasts/"];
  const bindings = { WORK: discardingQueue, MAIL_0: down };
  const [broken, working] = [apiOn(bindings, first.apiKey), apiOn(bindings, second.apiKey)];
  expect((await broken.post("/v1/emails/", aMail(first))).status).toBe(500);
  expect((await working.post("/v1/emails/", aMail(second))).status).toBe(202);
  for (const path of [...paths, `/v1/emails/${ids[1]}`]) expect((await working.get(path)).status, path).toBe(200);
  for (const path of paths) expect((await broken.get(path)).status, path).toBe(500);
  // Routes that need no mail work for both.
  expect((await broken.get("/v1/domains/")).status).toBe(200);
  expect((await (await first.get("/v1/emails/")).json<unknown[]>()).length).toBe(1);
});

it("a message names its mail database; with a wrong number no email is lost, moved or sent twice", async () => {
  const sink = await sinkServer();
  const emails = await anEmailOnEach();
  expect(emails.map(({ body }) => body.database)).toEqual([0, 1]);
  const swapped = emails.map(({ body }): OutboxMessage => ({ ...body, database: body.database === 0 ? 1 : 0 }));
  await consumeAll(swapped, { EGRESS_URL: sink.url });
  // A claim takes other due rows along, so the swapped messages may have delivered both; each email exists in one database.
  for (const { id } of emails) {
    const found = await Promise.all(
      [env.MAIL_0, env.MAIL_1].map((db) => db.prepare("SELECT 1 FROM emails WHERE id = ?1").bind(id).first()),
    );
    expect(found.filter((row) => row !== null)).toHaveLength(1);
  }
  await consumeAll(
    emails.map(({ body }) => body),
    { EGRESS_URL: sink.url },
  );
  expect(await Promise.all(emails.map(({ status }) => status()))).toEqual(["delivered", "delivered"]);
  expect(
    (await sink.messages()).filter(({ raw }) => emails.some(({ id }) => new TextDecoder().decode(raw).includes(id))),
  ).toHaveLength(2);
});

it("messages of a database that is down are retried, the others are delivered", async () => {
  const sink = await sinkServer();
  const emails = await anEmailOnEach();
  const retried = await consumeAll(
    emails.map(({ body }) => body),
    { EGRESS_URL: sink.url, MAIL_0: down },
  );
  expect(retried).toEqual(["0"]);
  expect(await Promise.all(emails.map(({ status }) => status()))).toEqual(["queued", "delivered"]);
});

it("with all messages lost and one database down, cron delivers what is due in the other", async () => {
  const sink = await sinkServer();
  const emails = await anEmailOnEach();
  const refusing = {
    sendBatch: async () => {
      throw new Error("Too Many Requests");
    },
  };
  const controller = createScheduledController({ cron: "* * * * *", scheduledTime: new Date() });
  const bindings = { ...env, WORK: refusing, EGRESS_URL: sink.url, MAIL_1: down } as unknown as Env;
  await expect(runSchedule(controller, bindings)).rejects.toThrow("D1 is down");
  expect(await Promise.all(emails.map(({ status }) => status()))).toEqual(["delivered", "queued"]);
});
