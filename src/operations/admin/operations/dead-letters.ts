import type { CallerCtx, ListRange } from "../../../access/caller.ts";
import { conflict, notFound, requireFound } from "../../../lib/errors.ts";
import { auditIfChangedStatement } from "../../../platform/audit/record.ts";
import type { deadLetters } from "../../../platform/db/schema/main/index.ts";
import type { StoredRow } from "../../../platform/db/stored-row.ts";

export type DeadLetterRow = StoredRow<typeof deadLetters>;

/** The queue of each type of message, by its binding. The types are those that src/queue.ts consumes. */
const bindings: readonly [prefix: string, binding: "WORK" | "HITS" | "WEBHOOKS" | "AUTOMATIONS"][] = [
  ["outbox.", "WORK"],
  ["shards.", "WORK"],
  ["hit.", "HITS"],
  ["webhooks.", "WEBHOOKS"],
  ["automations.", "AUTOMATIONS"],
];

/** Returns recorded queue messages in order of their ids, after an id. */
export async function listDeadLetters({ db }: CallerCtx, { after = "", limit }: ListRange): Promise<DeadLetterRow[]> {
  const sql = "SELECT id, queue, body, recorded_at FROM dead_letters WHERE id > ?1 ORDER BY id LIMIT ?2";
  return db.listRows(sql, after, limit);
}

/** Returns a recorded message. Throws 404. */
export async function getDeadLetter({ db }: CallerCtx, id: string): Promise<DeadLetterRow> {
  const sql = "SELECT id, queue, body, recorded_at FROM dead_letters WHERE id = ?1";
  return requireFound(await db.findRow<DeadLetterRow>(sql, id), "Dead letter");
}

/**
 * Sends a recorded message to its queue again, and deletes the record. Consumers are safe to call twice, so a crash in between
 * only repeats the message. Throws 404, and 409 for a type of message that no queue has.
 */
export async function replayDeadLetter(ctx: CallerCtx, id: string): Promise<DeadLetterRow> {
  const letter = await getDeadLetter(ctx, id);
  const body = JSON.parse(letter.body) as { type?: unknown } | null;
  const [, binding] = bindings.find(([prefix]) => String(body?.type).startsWith(prefix)) ?? [];
  if (binding === undefined) throw conflict("No queue takes messages of this type; delete the dead letter instead");
  await ctx.env[binding].send(body);
  await ctx.db.batch(removal(ctx, letter, "dead_letter.replayed"));
  return letter;
}

/** Deletes a recorded message. Throws 404. */
export async function dropDeadLetter(ctx: CallerCtx, id: string): Promise<void> {
  const [removed] = await ctx.db.batch(removal(ctx, { id }, "dead_letter.dropped"));
  if (removed?.meta.changes === 0) throw notFound("Dead letter");
}

function removal(ctx: CallerCtx, { id }: { id: string }, action: "dead_letter.replayed" | "dead_letter.dropped") {
  const remove = ctx.db.prepare("DELETE FROM dead_letters WHERE id = ?1").bind(id);
  return [remove, auditIfChangedStatement({ ...ctx, workspace: null }, { action, target: id })];
}
