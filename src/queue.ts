import { type Ctx, createContext } from "./context.ts";
import { deliver, egressOf } from "./delivery/index.ts";
import type { WakeUp, WorkKind, WorkMessage } from "./outbox/index.ts";
import { recordDeadLetters } from "./outbox/index.ts";
import { purge } from "./purges/index.ts";
import { isHitMessage, recordHits } from "./tracking/index.ts";

/** Task to function: what each kind of work in the outbox is done by. */
const tasks: Record<WorkKind, (ctx: Ctx, rows: readonly WakeUp[]) => Promise<void>> = {
  deliver: (ctx, rows) => deliver(ctx, rows, egressOf(ctx.settings)),
  purge,
};

/**
 * Consumer of the work queue. A message only says which outbox rows to look at, so it may come twice, late,
 * out of order or never. What fails here is still in the outbox: it is retried by the queue, then by the
 * sweep. A message that nobody understands goes its own way to the dead letters and takes no other along.
 */
export async function consume(batch: MessageBatch<WorkMessage>, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const [known, strange] = [batch.messages.filter(isWakeUp), batch.messages.filter((message) => !isWakeUp(message))];
  for (const message of strange) message.retry();
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

/** Does the work of these outbox rows, as far as it is still to be had. */
export async function runWork(ctx: Ctx, rows: readonly WakeUp[]): Promise<void> {
  const unique = new Map(rows.map((row) => [`${row.kind} ${row.dueAt} ${row.id}`, row]));
  for (const [kind, some] of Map.groupBy(unique.values(), (row) => row.kind)) await tasks[kind](ctx, some);
}

/** Consumer of the hits queue: opens and clicks, in sets. What it does not understand goes its own way, as above. */
export async function consumeHits(batch: MessageBatch, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const bodies = batch.messages.map(({ body }) => body);
  for (const message of batch.messages) if (!isHitMessage(message.body)) message.retry();
  await recordHits(ctx, bodies.filter(isHitMessage));
}

/** Consumer of the dead letters: records what died. The outbox rows themselves live on and are swept. */
export async function consumeDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const letters = batch.messages.map(({ id, body }) => ({ id, body: JSON.stringify(body) }));
  await recordDeadLetters(ctx, batch.queue, letters);
}
