/** Runs that claim from several mail databases: they share SMTP connections, and a slow or failing database holds up no other. */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { onShard } from "../../../src/platform/jobs/shards.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { consume } from "../../../src/queue.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { closedPort } from "../../support/closed-port.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aWorkspace, discardingQueue, until } from "../../support/workspace.ts";

const shards = [0, 1] as const;
const bindings = { 0: env.MAIL_0, 1: env.MAIL_1 };

beforeEach(async () => {
  for (const shard of shards) await bindings[shard].prepare("DELETE FROM outbox").run();
});

/** Accepts `count` emails on a mail database. Returns a queue message for each. */
async function messagesOf(shard: 0 | 1, count: number): Promise<OutboxMessage[]> {
  const workspace = await aWorkspace({ mailShard: shard });
  const rows: WakeUp[] = [];
  const wake = async (woken: readonly WakeUp[]) => rows.push(...woken) > 0;
  const ctx = { ...onShard(createContext(env, "test"), shard), wake };
  for (let n = 0; n < count; n++) await acceptEmail(ctx, workspace, { to: [{ email: `a${n}@one.test` }] });
  return rows.map((row): OutboxMessage => ({ type: "outbox.wake.v2", database: shard, rows: [row] }));
}

/** Consumes these messages in one batch. */
function consumeAll(bodies: readonly OutboxMessage[], settings: Record<string, unknown>) {
  const messages = bodies.map((body, n) => ({
    id: `${body.database}-${n}`,
    timestamp: new Date(),
    attempts: 1,
    body,
  }));
  const batch = createMessageBatch<OutboxMessage>("work", messages);
  const done = consume(batch, { ...env, WORK: discardingQueue, ...settings } as unknown as Env);
  return { done, result: () => getQueueResult(batch, createExecutionContext()) };
}

async function outboxOf(shard: 0 | 1) {
  const { results } = await bindings[shard]
    .prepare("SELECT due_at, claims, token FROM outbox")
    .all<{ due_at: number; claims: number; token: string | null }>();
  return results;
}

const isEmpty = (rows: readonly unknown[]) => rows.length === 0;

/** Returns a database whose batches wait for `gate` from batch number `from` on. */
function slowDatabase(real: D1Database, from: number, gate: () => Promise<unknown>) {
  let batches = 0;
  return {
    prepare: (sql: string) => real.prepare(sql),
    async batch(statements: D1PreparedStatement[]) {
      batches += 1;
      if (batches >= from) await gate();
      return real.batch(statements);
    },
  };
}

describe("one consumer run with messages of two mail databases", () => {
  it("opens no more SMTP connections than with messages of one, and sends each email once", async () => {
    const connections: number[] = [];
    for (const [first, second] of [
      [40, 0],
      [20, 20],
    ] as const) {
      const sink = await sinkServer();
      const url = `${sink.url}&connections=2`;
      const bodies = [...(await messagesOf(0, first)), ...(await messagesOf(1, second))];
      await consumeAll(bodies, { EGRESS_URL: url }).done;
      expect(await sink.messages()).toHaveLength(40);
      connections.push((await sink.counters()).connections);
    }
    expect(connections).toEqual([2, 2]);
  });

  it.each([
    ["claim", 1],
    ["outcomes", 2],
  ])("sends all emails of one while the %s of the other wait, over a single connection", async (_, from) => {
    const sink = await sinkServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    const bodies = [...(await messagesOf(1, 40)), ...(await messagesOf(0, 40))];
    const { done } = consumeAll(bodies, {
      EGRESS_URL: `${sink.url}&connections=1`,
      MAIL_1: slowDatabase(env.MAIL_1, from, () => promise),
    });
    await until(() => outboxOf(0), isEmpty);
    expect(await outboxOf(1)).toHaveLength(40);
    resolve();
    await done;
    expect(await outboxOf(1)).toEqual([]);
    expect(await sink.messages()).toHaveLength(80);
    expect((await sink.counters()).connections).toBe(1);
  });

  it("sends all emails of one when the writes of the other fail, and retries only the messages of the other", async () => {
    const sink = await sinkServer();
    const bodies = [...(await messagesOf(1, 2)), ...(await messagesOf(0, 40))];
    const failing = slowDatabase(env.MAIL_1, 2, () => Promise.reject(new Error("D1 is down")));
    const { done, result } = consumeAll(bodies, { EGRESS_URL: `${sink.url}&connections=1`, MAIL_1: failing });
    await done;
    expect(await outboxOf(0)).toEqual([]);
    const { retryMessages, explicitAcks } = await result();
    expect(retryMessages.map(({ msgId }) => msgId)).toEqual(["1-0", "1-1"]);
    expect(explicitAcks).toHaveLength(40);
  });
});

describe("an egress that comes back while the claim of one database is deferred", () => {
  it("every email of that claim is deferred, and those of the claim that connects are sent", async () => {
    const { url, open } = await closedPort();
    const deferring = Promise.withResolvers<void>();
    const opened = deferring.promise.then(() => open());
    const written = Promise.withResolvers<void>();
    const bodies = [...(await messagesOf(0, 40)), ...(await messagesOf(1, 3))];
    const { done } = consumeAll(bodies, {
      EGRESS_URL: url,
      // The first outcomes of the deferred claim wait until the other claim has delivered.
      MAIL_0: slowDatabase(env.MAIL_0, 2, () => {
        deferring.resolve();
        return written.promise;
      }),
      MAIL_1: slowDatabase(env.MAIL_1, 1, () => opened),
    });
    await until(() => outboxOf(1), isEmpty);
    written.resolve();
    await done;
    const { results } = await env.MAIL_0.prepare(
      "SELECT attempts, count(*) AS emails FROM emails WHERE id IN (SELECT id FROM outbox) GROUP BY attempts",
    ).all();
    expect(results).toEqual([{ attempts: 1, emails: 40 }]);
    expect(await (await opened).messages()).toHaveLength(3);
  });
});

describe("a main database that fails after the claim", () => {
  it("leaves the rows due, unclaimed and with `claims` unchanged, however often", async () => {
    const sink = await sinkServer();
    const bodies = await messagesOf(0, 3);
    const DB = {
      prepare: (sql: string) => env.DB.prepare(sql),
      batch: () => Promise.reject(new Error("the main database is down")),
    };
    for (let failures = 0; failures < 10; failures++) {
      const rows = await env.MAIL_0.prepare("SELECT due_at AS dueAt, id, kind FROM outbox").all<WakeUp>();
      const { done, result } = consumeAll([{ type: "outbox.wake.v2", database: 0, rows: rows.results }], {
        EGRESS_URL: sink.url,
        DB,
      });
      await done;
      expect((await result()).retryMessages).toHaveLength(1);
      const left = await outboxOf(0);
      expect(left.map(({ claims, token }) => [claims, token])).toEqual(Array(3).fill([0, null]));
      expect(left.every(({ due_at }) => due_at <= Date.now())).toBe(true);
    }
    expect(await sink.messages()).toEqual([]);
    await consumeAll(bodies, { EGRESS_URL: sink.url }).done;
    const rows = await env.MAIL_0.prepare("SELECT due_at AS dueAt, id, kind FROM outbox").all<WakeUp>();
    await consumeAll([{ type: "outbox.wake.v2", database: 0, rows: rows.results }], { EGRESS_URL: sink.url }).done;
    expect(await sink.messages()).toHaveLength(3);
    expect(await outboxOf(0)).toEqual([]);
  });
});
