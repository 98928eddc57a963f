import { runAutomations } from "./audience/automations/index.ts";
import { forEachAtOnce } from "./lib/at-once.ts";
import { createContext } from "./platform/create-context.ts";
import { ConcurrencyError } from "./platform/db/batch.ts";
import { isOfStatement } from "./platform/db/repeat-call.ts";
import { CONCURRENT_DATABASES, findShards, onShard, shardNumbers, withLimits } from "./platform/jobs/shards.ts";
import { recordDeadLetters } from "./platform/outbox/dead-letters.ts";
import { attemptApart } from "./platform/outbox/halves.ts";
import type { OutboxMessage } from "./platform/outbox/wake.ts";
import { isAutomationsMessage } from "./platform/person-events/wake.ts";
import { isWakeUp, runDatabases } from "./run-outbox.ts";
import { newRunLimits } from "./sending/delivery/index.ts";
import { type HitMessage, isHitMessage, recordHits } from "./sending/tracking/index.ts";
import { isShardJob, retryEverywhere, runShardJob, type ShardJobMessage } from "./shard-jobs.ts";

/**
 * Consumes the work queue. A message only names outbox rows, so it may arrive twice, late, out of order or never. When
 * this fails the rows stay in the outbox: the queue retries the message, then the sweep finds the rows. The rows of a
 * database that is slow or down delay no others. A message may also start a job of cron on some mail databases. Messages
 * of an unknown format are retried alone until they become dead letters.
 */
export async function consume(batch: MessageBatch<OutboxMessage | ShardJobMessage>, env: Env): Promise<void> {
  const limits = newRunLimits();
  const counts = new Map<string, number>();
  const ctx = { ...withLimits(createContext(env, crypto.randomUUID()), limits), counts };
  const startedAt = ctx.now();
  const wakeUps: Message<OutboxMessage>[] = [];
  const jobs: Message<ShardJobMessage>[] = [];
  for (const message of batch.messages) {
    if (isWakeUp(ctx, message.body)) wakeUps.push(message as Message<OutboxMessage>);
    else if (isShardJob(ctx, message.body)) jobs.push(message as Message<ShardJobMessage>);
    else message.retry();
  }
  const messagesOf = Map.groupBy(wakeUps, ({ body }) => body.database);
  const outboxes = [...messagesOf].map(([database, messages]) => ({
    database,
    rows: messages.flatMap(({ body }) => body.rows),
  }));
  const endsOutage = await runDatabases(ctx, outboxes, limits, (database, error) => {
    for (const message of messagesOf.get(database) ?? []) error === undefined ? message.ack() : message.retry();
  });
  if (endsOutage) await retryEverywhere(ctx, limits);
  // Cron starts each of these again, so none is retried.
  for (const { body } of jobs) await runShardJob(ctx, body, limits);
  const unused = newRunLimits();
  ctx.log("queue.batch", {
    queue: batch.queue,
    messages: batch.messages.length,
    rows: outboxes.reduce((sum, { rows }) => sum + rows.length, 0),
    jobs: jobs.length,
    databases: outboxes.length,
    emails: unused.emails - limits.emails,
    statements: unused.statements - limits.statements,
    object_reads: unused.objectReads - limits.objectReads,
    milliseconds: ctx.now() - startedAt,
    outcomes: Object.fromEntries(counts),
  });
}

/**
 * Consumes the automations queue: moves the due runs of the mail databases that its messages name. Logs an error: one of a database delays
 * no other, and cron starts each again, so none is retried. Messages of an unknown format are retried alone until they become dead letters.
 */
export async function consumeAutomations(batch: MessageBatch, env: Env): Promise<void> {
  const counts = new Map<string, number>();
  const ctx = { ...withLimits(createContext(env, crypto.randomUUID()), newRunLimits()), counts };
  const startedAt = ctx.now();
  const shards = new Set<number>();
  for (const message of batch.messages) {
    if (isAutomationsMessage(message.body)) shards.add(message.body.shard);
    else message.retry();
  }
  for (const shard of shards) {
    try {
      await runAutomations(onShard(ctx, shard));
    } catch (error) {
      ctx.log("automations.failed", { shard, error: String(error) });
    }
  }
  ctx.log("queue.batch", {
    queue: batch.queue,
    messages: batch.messages.length,
    databases: shards.size,
    milliseconds: ctx.now() - startedAt,
    outcomes: Object.fromEntries(counts),
  });
}

/**
 * Consumes the hits queue: writes opens and clicks in one set for each mail database. An email whose hits cannot be written, as when many
 * runs write it at once, or of an unknown format, is retried alone; hits of a database that fails are retried, others acknowledged.
 */
export async function consumeHits(batch: MessageBatch, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const isHit = (message: Message): message is Message<HitMessage> => isHitMessage(message.body);
  const hits = batch.messages.filter(isHit);
  for (const message of batch.messages) if (!isHit(message)) message.retry();
  const shardsOf = await findShards(ctx, new Set(hits.map(({ body }) => body.workspace)));
  await forEachAtOnce(CONCURRENT_DATABASES, shardNumbers(ctx), async (shard) => {
    const here = hits.filter(({ body }) => shardsOf.get(body.workspace) === shard);
    const emails = [...Map.groupBy(here, ({ body }) => `${body.workspace} ${body.email}`).values()];
    const bodiesOf = (some: readonly (typeof here)[]) => some.flat().map(({ body }) => body);
    const retry = (some: typeof here, error: unknown) => {
      ctx.log("hits.failed", { shard, hits: some.length, error: String(error) });
      for (const message of some) message.retry();
    };
    const isOwn = (error: unknown) => error instanceof ConcurrencyError || isOfStatement(error);
    const record = (some: readonly (typeof here)[]) => recordHits(onShard(ctx, shard), bodiesOf(some));
    await attemptApart(emails, record, retry, isOwn).catch((error: unknown) => retry(here, error));
  });
}

/** Consumes the dead-letter queues: records each message. The outbox rows it names stay, and the sweep finds them. */
export async function consumeDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const letters = batch.messages.map(({ id, body }) => ({ id, body: JSON.stringify(body) }));
  await recordDeadLetters(ctx, batch.queue, letters);
}
