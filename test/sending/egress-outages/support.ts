import { env } from "cloudflare:workers";
import type { WakeUp } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { onShard, withLimits } from "../../../src/platform/jobs/shards.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { runDatabases } from "../../../src/run-outbox.ts";
import { newRunLimits } from "../../../src/sending/delivery/index.ts";
import { retryEverywhere, runShardJob, type ShardJobMessage, startShardJob } from "../../../src/shard-jobs.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import type { TestWorkspace } from "../../support/workspace.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const mailDatabases = [env.MAIL_0, env.MAIL_1] as const;

/** Empties the outboxes, and what is known of earlier outages. */
export async function forgetOutages(): Promise<void> {
  for (const db of [env.DB, ...mailDatabases]) await db.prepare("DELETE FROM outbox").run();
  for (const table of ["egress_outages", "egress_probe"]) await env.DB.prepare(`DELETE FROM ${table}`).run();
  for (const db of mailDatabases) await db.prepare("DELETE FROM outage_workspaces").run();
}

/** Cron and the queue consumer of a deployment at a clock that the test sets: messages arrive after their delay. */
export class Deployment {
  now: number;
  bindings: Record<string, unknown>;
  readonly #groupSize: number;
  #messages: { body: OutboxMessage | ShardJobMessage; from: number }[] = [];

  constructor(now: number, bindings: Record<string, unknown>, groupSize = 32) {
    this.now = now;
    this.bindings = bindings;
    this.#groupSize = groupSize;
  }

  context() {
    const sendBatch = async (messages: Iterable<MessageSendRequest<OutboxMessage>>) => {
      for (const { body, delaySeconds = 0 } of messages)
        this.#messages.push({ body, from: this.now + delaySeconds * SECOND });
    };
    const limits = newRunLimits();
    const all = { ...env, WORK: { sendBatch }, ...this.bindings } as unknown as Env;
    return {
      ctx: withLimits(
        createContext(all, "test", () => this.now),
        limits,
      ),
      limits,
    };
  }

  /** Accepts emails of a workspace. Returns their ids. */
  async accept(workspace: TestWorkspace, count: number, changes: Record<string, unknown> = {}): Promise<string[]> {
    const ctx = { ...onShard(this.context().ctx, workspace.mailShard), wake: async () => true };
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push(await acceptEmail(ctx, workspace, changes));
    return ids;
  }

  /** Delivers what is due in one mail database, as the queue message of a new email does. */
  async deliverNew(shard: number): Promise<void> {
    const { ctx } = this.context();
    const { outbox, wake } = onShard(ctx, shard);
    const { results } = await outbox
      .prepare("SELECT due_at AS dueAt, id, kind FROM outbox WHERE due_at <= ?1")
      .bind(this.now)
      .all<WakeUp>();
    await wake(results);
    await this.consume();
  }

  /** Runs cron's schedule of the minute, and the messages that are due. */
  async cron(): Promise<void> {
    const { ctx, limits } = this.context();
    await startShardJob(ctx, "sweep", limits, this.#groupSize);
    await this.consume();
  }

  /** Consumes the queue messages whose delay is over, until none is due. */
  async consume(): Promise<void> {
    for (let due = this.#take(); due.length > 0; due = this.#take()) {
      const { ctx, limits } = this.context();
      const work = due.flatMap((body) => (body.type === "outbox.wake.v2" ? [body] : []));
      const byDatabase = Map.groupBy(work, ({ database }) => database);
      const rows = [...byDatabase].map(([database, of]) => ({ database, rows: of.flatMap(({ rows }) => rows) }));
      if (await runDatabases(ctx, rows, limits, () => {})) await retryEverywhere(ctx, limits);
      for (const body of due) if (body.type === "shards.job.v1") await runShardJob(ctx, body, limits);
    }
  }

  /** Lets time go by in steps of two seconds, with cron each minute. */
  async run(until: number, done: () => Promise<boolean> = async () => false): Promise<void> {
    while (this.now < until && !(await done())) {
      this.now += 2 * SECOND;
      if (this.now % MINUTE < 2 * SECOND) await this.cron();
      else await this.consume();
    }
  }

  #take() {
    const due = this.#messages.filter(({ from }) => from <= this.now);
    this.#messages = this.#messages.filter(({ from }) => from > this.now);
    return due.map(({ body }) => body);
  }
}

/** Returns the rows of both mail databases that wait for the egress. */
export async function waitingRows(): Promise<number> {
  const counts = await Promise.all(
    mailDatabases.map((db) =>
      db.prepare("SELECT count(*) AS n FROM outbox WHERE outage = 'waiting'").first<{ n: number }>(),
    ),
  );
  return counts.reduce((sum, row) => sum + (row?.n ?? 0), 0);
}

/** Makes rows of no email wait for the egress, as after failed attempts. */
export async function insertWaiting(db: D1Database, count: number, dueAt: number): Promise<void> {
  await db
    .prepare(
      `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?1)
       INSERT INTO outbox (due_at, id, kind, ref, outage) SELECT ?2 + n, printf('%06d', n), 'deliver', '[]', 'waiting' FROM i`,
    )
    .bind(count, dueAt)
    .run();
}
