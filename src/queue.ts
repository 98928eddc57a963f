import { runBroadcasts } from "./broadcasts/index.ts";
import { type Ctx, createContext, type MailCtx, type WorkCtx } from "./context.ts";
import {
  CONCURRENT_DATABASES,
  DeliveryRun,
  deliverRows,
  egressOf,
  newRunLimits,
  type RunLimits,
  runBulk,
  runReleases,
} from "./delivery/index.ts";
import type { WakeUp, WorkMessage } from "./outbox/index.ts";
import { recordDeadLetters } from "./outbox/index.ts";
import { purge } from "./purges/index.ts";
import { findShards, onMain, onShard, shardNumbers } from "./shards.ts";
import { type HitMessage, isHitMessage, recordHits } from "./tracking/index.ts";

type Tasks<Context> = Readonly<
  Record<string, (ctx: Context, rows: readonly WakeUp[], run: DeliveryRun) => Promise<void>>
>;

/** The function that processes each kind of outbox row of a mail database. */
const mailTasks: Tasks<MailCtx> = {
  deliver: deliverRows,
  // A run finds the rows itself, whichever row the wake-up names.
  bulk: (ctx, _, run) => runBulk(ctx, run),
  broadcast: (ctx, rows) => runBroadcasts(ctx, rows),
  purge: (ctx, rows) => purge(ctx, rows),
  release: (ctx, rows) => runReleases(ctx, rows),
};

/** The function that processes each kind of outbox row of the main database. */
const mainTasks: Tasks<WorkCtx<"main">> = { purge: (ctx, rows) => purge(ctx, rows) };

/**
 * Consumes the work queue. A message only names outbox rows, so it may arrive twice, late, out of order or never. When
 * this fails the rows stay in the outbox: the queue retries the message, then the sweep finds the rows. The rows of a
 * database that is slow or down delay no others. Messages of an unknown format are retried alone until they become dead
 * letters.
 */
export async function consume(batch: MessageBatch<WorkMessage>, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const known = batch.messages.filter((message) => isWakeUp(ctx, message));
  for (const message of batch.messages) if (!known.includes(message)) message.retry();
  const messagesOf = Map.groupBy(known, ({ body }) => body.database);
  await runDatabases(
    ctx,
    [...messagesOf].map(([database, messages]) => ({ database, rows: messages.flatMap(({ body }) => body.rows) })),
    newRunLimits(),
    (database, error) => {
      for (const message of messagesOf.get(database) ?? []) error === undefined ? message.ack() : message.retry();
    },
  );
}

function isWakeUp(ctx: Ctx, { body }: Message<WorkMessage>): boolean {
  if (body?.type !== "outbox.wake.v2" || !Array.isArray(body.rows)) return false;
  if (body.database !== "main" && !shardNumbers(ctx).includes(body.database)) return false;
  const tasks = body.database === "main" ? mainTasks : mailTasks;
  return body.rows.every(({ kind }) => Object.hasOwn(tasks, kind));
}

/** Rows of the outbox of one database. */
export interface DatabaseRows {
  database: WorkMessage["database"];
  rows: readonly WakeUp[];
}

/**
 * Processes rows of several outboxes, CONCURRENT_DATABASES at once, in one run that shares its limits and its SMTP
 * connections. Calls `onEnd` for each database, with the error of one that failed.
 */
export async function runDatabases(
  ctx: Ctx,
  work: readonly DatabaseRows[],
  limits: RunLimits,
  onEnd: (database: WorkMessage["database"], error: unknown) => void,
): Promise<void> {
  const queue = work.values();
  const concurrency = Math.min(work.length, CONCURRENT_DATABASES);
  const run = new DeliveryRun(ctx, egressOf(ctx.settings), limits, concurrency);
  const worker = async () => {
    for (const { database, rows } of queue) {
      try {
        await runTasks(database === "main" ? onMain(ctx) : onShard(ctx, database), rows, run);
        onEnd(database, undefined);
      } catch (error) {
        ctx.log("work.failed", { database, error: String(error) });
        onEnd(database, error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await run.end();
}

/** Processes these rows of the outbox of the context by kind, except rows that another run has claimed. */
export async function runWork(ctx: MailCtx | WorkCtx<"main">, rows: readonly WakeUp[]): Promise<void> {
  const run = new DeliveryRun(ctx, egressOf(ctx.settings), newRunLimits());
  await runTasks(ctx, rows, run).finally(() => run.end());
}

async function runTasks(ctx: MailCtx | WorkCtx<"main">, rows: readonly WakeUp[], run: DeliveryRun): Promise<void> {
  const unique = new Map(rows.map((row) => [`${row.kind} ${row.dueAt} ${row.id}`, row]));
  for (const [kind, ofKind] of Map.groupBy(unique.values(), (row) => row.kind)) {
    if ("shard" in ctx) await mailTasks[kind]?.(ctx, ofKind, run);
    else await mainTasks[kind]?.(ctx, ofKind, run);
  }
}

/**
 * Consumes the hits queue: writes opens and clicks in one set for each mail database. Hits of a database that fails are
 * retried, the others are acknowledged. Messages of an unknown format are retried alone.
 */
export async function consumeHits(batch: MessageBatch, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const hits: { hit: HitMessage; message: Message }[] = [];
  for (const message of batch.messages) {
    if (isHitMessage(message.body)) hits.push({ hit: message.body, message });
    else message.retry();
  }
  const shardsOf = await findShards(ctx, new Set(hits.map(({ hit }) => hit.workspace)));
  for (const shard of shardNumbers(ctx)) {
    const here = hits.filter(({ hit }) => shardsOf.get(hit.workspace)?.includes(shard));
    try {
      await recordHits(
        onShard(ctx, shard),
        here.map(({ hit }) => hit),
      );
    } catch (error) {
      ctx.log("hits.failed", { shard, hits: here.length, error: String(error) });
      for (const { message } of here) message.retry();
    }
  }
}

/** Consumes the dead-letter queues: records each message. The outbox rows it names stay, and the sweep finds them. */
export async function consumeDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const letters = batch.messages.map(({ id, body }) => ({ id, body: JSON.stringify(body) }));
  await recordDeadLetters(ctx, batch.queue, letters);
}
