/** Cron over several mail databases: turns, the limit of D1 statements, lost messages, and databases that are slow or down. */

import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { recheckDomains } from "../../../src/domains/domains/index.ts";
import { hourSteps, mainRetentionSteps, retentionSteps } from "../../../src/operations/retention/index.ts";
import type { OutboxCtx, WakeUp } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { onMain, onShard, withLimits } from "../../../src/platform/jobs/shards.ts";
import { runInTurns, type Steps } from "../../../src/platform/jobs/turns.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { consume } from "../../../src/queue.ts";
import { runDatabases } from "../../../src/run-outbox.ts";
import { newRunLimits } from "../../../src/sending/delivery/index.ts";
import { runShardJob, type ShardJobMessage, startShardJob } from "../../../src/shard-jobs.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { ManualQueue } from "../../support/failures.ts";
import { shortenTimeouts } from "../../support/short-timeouts.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aWorkspace, discardingQueue } from "../../support/workspace.ts";

const SECOND = 1000;

beforeEach(async () => {
  for (const db of [env.DB, env.MAIL_0, env.MAIL_1]) await db.prepare("DELETE FROM outbox").run();
  await database.run("UPDATE mail_shards SET swept_at = 0");
});

/** Returns a context as cron has it, with its limits. */
function cronContext(bindings: Record<string, unknown> = {}, now: () => number = Date.now) {
  const limits = newRunLimits();
  return { ctx: withLimits(createContext({ ...env, ...bindings } as Env, "test", now), limits), limits };
}

/** Accepts an email on a mail database at `now`. */
async function accept(shard: number, now: number): Promise<void> {
  const ctx = {
    ...onShard(
      createContext(env, "test", () => now),
      shard,
    ),
    wake: async () => true,
  };
  await acceptEmail(ctx, await aWorkspace({ mailShard: shard }));
}

const rowsOf = async (db: D1Database) => (await db.prepare("SELECT id FROM outbox").all()).results.length;

/** A database that never responds. */
const silent = { prepare: () => hangingStatement, batch: () => new Promise(() => {}) };
const hangingStatement = { bind: () => hangingStatement, all: () => new Promise(() => {}) };

const groupSizes = [
  ["all databases in the invocation of cron", 32],
  ["one database by a message of its own", 1],
] as const;

describe.each(groupSizes)("with %s", (_, groupSize) => {
  it("every due row leaves within two minutes when all messages are lost", async () => {
    const sink = await sinkServer();
    const start = Date.now();
    let now = start;
    const tick = () => {
      const { ctx, limits } = cronContext({ WORK: discardingQueue, EGRESS_URL: sink.url }, () => now);
      return startShardJob(ctx, "sweep", limits, groupSize);
    };
    // Cron runs at seconds 1, 61 and so on; rows that become due between two runs wait longest.
    for (const dueAt of [0, 2, 59]) {
      for (const shard of [0, 1]) await accept(shard, start + dueAt * SECOND);
    }
    await env.CONTENT.put("test-lost/object", "x");
    const purge = JSON.stringify({ objects: "test-lost/" });
    await env.DB.prepare("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, 'p', 'purge', ?2)")
      .bind(start, purge)
      .run();
    for (const second of [1, 61, 121]) {
      now = start + second * SECOND;
      await tick();
      if (second === 61) expect(await rowsOf(env.DB)).toBe(0);
    }
    expect(await Promise.all([env.MAIL_0, env.MAIL_1].map(rowsOf))).toEqual([0, 0]);
    expect(await sink.messages()).toHaveLength(6);
    expect(await env.CONTENT.head("test-lost/object")).toBeNull();
  });

  it("a database that is silent keeps the due rows of no other, nor of the main one", async () => {
    const sink = await sinkServer();
    const start = Date.now();
    for (const shard of [0, 1]) await accept(shard, start - 90 * SECOND);
    const { ctx, limits } = cronContext({ WORK: discardingQueue, EGRESS_URL: sink.url, MAIL_0: silent });
    const asked = shortenTimeouts(2_000);
    await expect(startShardJob(ctx, "sweep", limits, groupSize)).rejects.toThrow("a step took more than");
    expect(asked).toContain(5_000);
    expect(await Promise.all([env.MAIL_0, env.MAIL_1].map(rowsOf))).toEqual([1, 0]);
  });
});

describe("a job on more databases than one invocation takes", () => {
  it("is started on the others by messages, and by cron itself only when these are refused or were lost", async () => {
    const now = Date.now();
    const WORK = new ManualQueue<OutboxMessage>();
    const sweepers = async (at: number, bindings: Record<string, unknown> = {}) => {
      const { bindings: databases, trips } = countingDb();
      const { ctx, limits } = cronContext({ WORK, ...databases, ...bindings }, () => at);
      await startShardJob(ctx, "sweep", limits, 1);
      const statements = trips.flatMap((trip) => trip.statements);
      return [
        ...new Set(statements.filter(({ sql }) => sql.includes("waiting (broadcast)")).map(({ binding }) => binding)),
      ];
    };
    expect(await sweepers(now)).toEqual(["DB", "MAIL_0", "MAIL_1"]);
    const bodies = WORK.take();
    expect(bodies).toEqual([{ type: "shards.job.v1", job: "sweep", shards: [1] }]);
    const messages = bodies.map((body, n) => ({ id: String(n), timestamp: new Date(), attempts: 1, body }));
    const batch = createMessageBatch<OutboxMessage | ShardJobMessage>("work", messages);
    await consume(batch, { ...env, WORK } as unknown as Env);
    expect((await getQueueResult(batch, createExecutionContext())).retryMessages).toEqual([]);
    expect(await sweepers(now + 60 * SECOND)).toEqual(["DB", "MAIL_0"]);
    expect(await sweepers(now + 120 * SECOND)).toEqual(["DB", "MAIL_0", "MAIL_1"]);
    const refusing = { sendBatch: () => Promise.reject(new Error("Too Many Requests")) };
    expect(await sweepers(now + 60 * SECOND, { WORK: refusing })).toEqual(["DB", "MAIL_0", "MAIL_1"]);
  });

  it("goes on by messages while retention has work, until its time is over, and no longer", async () => {
    const now = Date.now();
    const WORK = new ManualQueue<ShardJobMessage>();
    const ctx = createContext({ ...env, WORK } as unknown as Env, "test", () => now);
    const limits = (statements: number) => ({ ...newRunLimits(), statements });
    const run = async (message: ShardJobMessage, statements: number) => {
      await runShardJob(withLimits(ctx, limits(statements)), message, limits(statements));
      return WORK.take();
    };
    const message: ShardJobMessage = { type: "shards.job.v1", job: "retention", shards: ["main", 0], until: now + 1 };
    expect(await run(message, 0)).toEqual([message]);
    expect(await run({ ...message, until: now }, 0)).toEqual([]);
    expect(await run(message, 1_000)).toEqual([]);
    const responses: ShardJobMessage = { type: "shards.job.v1", job: "responses", shards: [0] };
    expect(await run(responses, 0)).toEqual([]);
    await startShardJob(ctx, "retention", limits(0), 1);
    expect(WORK.take()).toMatchObject([
      { job: "retention", shards: [1], until: now + 55 * 60 * SECOND },
      { job: "retention", shards: ["main", 0], until: now + 55 * 60 * SECOND },
    ]);
  });

  it("goes on with the other databases when one fails", async () => {
    const WORK = new ManualQueue<ShardJobMessage>();
    const now = Date.now();
    const failing = {
      prepare: () => {
        throw new Error("D1 is down");
      },
      batch: () => Promise.reject(new Error("D1 is down")),
    };
    const limits = { ...newRunLimits(), statements: 60 };
    const { ctx } = cronContext({ WORK, MAIL_0: failing }, () => now);
    const message: ShardJobMessage = {
      type: "shards.job.v1",
      job: "retention",
      shards: ["main", 0, 1],
      until: now + 1,
    };
    await runShardJob(withLimits(ctx, limits), message, limits);
    const [left] = WORK.take();
    expect(left?.shards).not.toContain(0);
    expect(left?.shards.length).toBeGreaterThan(0);
  });

  it.each(["retention", "close-hours"] as const)(
    "makes at most 20 statements in a step of %s, on each kind of database",
    async (job) => {
      await env.DB.prepare("INSERT OR REPLACE INTO mail_shards (number, size) VALUES (0, 9900000000)").run();
      const limits = newRunLimits();
      const operator = await aWorkspace();
      await env.DB.prepare("UPDATE users SET is_platform_admin = 1 WHERE id = ?1").bind(operator.userId).run();
      const bindings = { ...env, SYSTEM_MAILBOX: operator.mailbox } as Env;
      const ctx = withLimits(createContext(bindings, "test"), limits);
      const mail = onShard(ctx, 0);
      const jobs = job === "retention" ? [retentionSteps(mail), mainRetentionSteps(ctx)] : [hourSteps(mail)];
      for (const steps of jobs)
        for (let done = false; !done; ) {
          const before = limits.statements;
          done = (await steps.next()).done === true;
          expect(before - limits.statements).toBeLessThanOrEqual(20);
        }
      await env.DB.prepare("UPDATE users SET is_platform_admin = 0 WHERE id = ?1").bind(operator.userId).run();
      await env.DB.prepare("UPDATE mail_shards SET size = 0 WHERE number = 0").run();
    },
  );

  it("is refused as a message of an unknown format when a database or the job is unknown", async () => {
    const bodies = [
      { type: "shards.job.v1", job: "sweep", shards: [0, 7] },
      { type: "shards.job.v1", job: "constructor", shards: [0] },
      { type: "shards.job.v1" },
    ];
    const messages = bodies.map((body, n) => ({ id: String(n), timestamp: new Date(), attempts: 1, body }));
    const batch = createMessageBatch("work", messages as never[]);
    await consume(batch as MessageBatch<ShardJobMessage>, env);
    const { retryMessages } = await getQueueResult(batch, createExecutionContext());
    expect(retryMessages.map(({ msgId }) => msgId)).toEqual(["0", "1", "2"]);
  });
});

describe("the limit of D1 statements of an invocation", () => {
  it("counts every statement of every job of cron, on all databases", async () => {
    const workspaces = [await aWorkspace({ mailShard: 0 }), await aWorkspace({ mailShard: 1 })];
    for (const [shard, workspace] of workspaces.entries()) {
      const ctx = { ...onShard(createContext(env, "test"), shard), wake: async () => true };
      for (let n = 0; n < 3; n++) await acceptEmail(ctx, workspace);
    }
    const sink = await sinkServer();
    const later = Date.now() + 400 * 24 * 3600 * SECOND;
    const jobs = ["sweep", "offload", "responses", "retention"] as const;
    for (const job of [...jobs, "domains"] as const) {
      const { bindings, trips } = countingDb();
      const settings = { ...bindings, WORK: discardingQueue, EGRESS_URL: sink.url };
      const { ctx, limits } = cronContext(settings, () => later);
      const before = limits.statements;
      await (job === "domains" ? recheckDomains(ctx) : startShardJob(ctx, job, limits));
      const executed = trips.reduce((sum, { statements }) => sum + statements.length, 0);
      expect(executed, job).toBeGreaterThan(1);
      expect(before - limits.statements, job).toBe(executed);
    }
  });

  it("ends the jobs before 800, and gives every database its turn although one has much work", async () => {
    const { ctx, limits } = cronContext();
    const executed = new Map<number, number>();
    async function* steps(work: OutboxCtx, shard: number, count: number): Steps {
      for (let step = 0; step < count; step++) {
        for (let n = 0; n < 10; n++) await work.outbox.prepare("SELECT 1").run();
        executed.set(shard, (executed.get(shard) ?? 0) + 10);
        yield;
      }
    }
    const turns = Array.from({ length: 32 }, (_, shard) => ({
      database: shard,
      steps: steps(onMain(ctx), shard, shard === 0 ? 1_000 : 1),
    }));
    await runInTurns(ctx, turns, limits);
    expect(executed.size).toBe(32);
    expect([...executed].filter(([shard]) => shard > 0).map(([, statements]) => statements)).toEqual(
      Array(31).fill(10),
    );
    const total = [...executed.values()].reduce((sum, statements) => sum + statements, 0);
    expect(total).toBeGreaterThan(700);
    expect(total).toBeLessThan(800);
  });

  it("ends a run of deliveries of several databases at its limit, and leaves the other rows unclaimed", async () => {
    const workspaces = [await aWorkspace({ mailShard: 0 }), await aWorkspace({ mailShard: 1 })];
    const rows: WakeUp[][] = [[], []];
    for (const [shard, workspace] of workspaces.entries()) {
      const wake = async (woken: readonly WakeUp[]) => (rows[shard]?.push(...woken) ?? 0) > 0;
      const ctx = { ...onShard(createContext(env, "test"), shard), wake };
      for (let n = 0; n < 60; n++) await acceptEmail(ctx, workspace);
    }
    const sink = await sinkServer();
    const { bindings, trips } = countingDb();
    const limits = { ...newRunLimits(), statements: 130 };
    const settings = { ...env, ...bindings, WORK: discardingQueue, EGRESS_URL: sink.url };
    const ctx = withLimits(createContext(settings as unknown as Env, "test"), limits);
    const work = rows.map((due, database) => ({ database, rows: due }));
    const ended: unknown[] = [];
    await runDatabases(ctx, work, limits, (database, error) => ended.push([database, error]));
    expect(ended.sort()).toEqual([
      [0, undefined],
      [1, undefined],
    ]);
    const statements = trips.reduce((sum, trip) => sum + trip.statements.length, 0);
    expect(statements).toBeGreaterThan(20);
    expect(statements).toBeLessThanOrEqual(130);
    const left = await Promise.all(
      [env.MAIL_0, env.MAIL_1].map((db) => db.prepare("SELECT claims, token FROM outbox").all()),
    );
    const unsent = left.flatMap(({ results }) => results);
    expect(unsent.length + (await sink.messages()).length).toBe(120);
    expect(unsent.length).toBeGreaterThan(0);
    expect(unsent.filter(({ claims, token }) => claims !== 0 || token !== null)).toEqual([]);
  });
});
