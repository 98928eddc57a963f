import { type Ctx, createContext } from "./context.ts";
import { deliver, egressOf, runReleases } from "./delivery/index.ts";
import type { WakeUp, WorkKind, WorkMessage } from "./outbox/index.ts";
import { recordDeadLetters } from "./outbox/index.ts";
import { purge } from "./purges/index.ts";
import { isHitMessage, recordHits } from "./tracking/index.ts";

/** The function that processes each kind of outbox row. */
const tasks: Record<WorkKind, (ctx: Ctx, rows: readonly WakeUp[]) => Promise<void>> = {
  deliver: (ctx, rows) => deliver(ctx, rows, egressOf(ctx.settings)),
  purge,
  release: runReleases,
};

/**
 * Consumes the work queue. A message only names outbox rows, so it may arrive twice, late, out of order or never. When
 * this fails the rows stay in the outbox: the queue retries the message, then the sweep finds the rows. Messages of an
 * unknown format are retried alone until they become dead letters, without delaying the others.
 */
export async function consume(batch: MessageBatch<WorkMessage>, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const known = batch.messages.filter(isWakeUp);
  for (const message of batch.messages) if (!isWakeUp(message)) message.retry();
  await runWork(
    ctx,
    known.flatMap(({ body }) => body.rows),
  );
}

function isWakeUp({ body }: Message<WorkMessage>): boolean {
  return (
    body?.type === "outbox.wake.v1" &&
    Array.isArray(body.rows) &&
    body.rows.every(({ kind }) => Object.hasOwn(tasks, kind))
  );
}

/** Processes these outbox rows by kind, except rows that another run has claimed. */
export async function runWork(ctx: Ctx, rows: readonly WakeUp[]): Promise<void> {
  const unique = new Map(rows.map((row) => [`${row.kind} ${row.dueAt} ${row.id}`, row]));
  for (const [kind, ofKind] of Map.groupBy(unique.values(), (row) => row.kind)) await tasks[kind](ctx, ofKind);
}

/** Consumes the hits queue: writes opens and clicks in one set. Messages of an unknown format are retried alone. */
export async function consumeHits(batch: MessageBatch, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const bodies = batch.messages.map(({ body }) => body);
  for (const message of batch.messages) if (!isHitMessage(message.body)) message.retry();
  await recordHits(ctx, bodies.filter(isHitMessage));
}

/** Consumes the dead-letter queues: records each message. The outbox rows it names stay, and the sweep finds them. */
export async function consumeDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const letters = batch.messages.map(({ id, body }) => ({ id, body: JSON.stringify(body) }));
  await recordDeadLetters(ctx, batch.queue, letters);
}
