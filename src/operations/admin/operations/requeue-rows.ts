import type { CallerCtx } from "../../../access/caller.ts";
import type { WakeUp } from "../../../platform/context.ts";
import { UNLEASED } from "../../../platform/outbox/lease.ts";
import { outboxOf, recordChange } from "./outbox-of.ts";

/** Rows of one request: two queue messages of ten, and one statement. */
export const MAX_REQUEUED = 100;

/** A row by its key: the id and the due time, in milliseconds since 1970. */
export interface RowKey {
  id: string;
  dueAt: number;
}

// A row that a run holds stays. One claim is kept of those without a written outcome: the next attempt may be a repeat, which
// the events of the email say. A row that waits for the egress is released by this: it no longer counts as waiting.
const REQUEUE = `
  UPDATE outbox SET due_at = ?2, ${UNLEASED}, claims = min(claims, 1), outage = iif(outage IS NULL, NULL, 'released')
   WHERE (id, due_at) IN (SELECT value->>'id', value->>'dueAt' FROM json_each(?1)) AND leased_until <= ?2
  RETURNING due_at AS dueAt, id, kind`;

/**
 * Makes up to MAX_REQUEUED rows of an outbox due now and resets their claims, so that a row which failed again and again is
 * tried again. Rows that a run holds, and those that have moved since they were listed, are skipped. `database` is `main` or
 * the number of a mail database. Returns the number of changed rows. Throws 404 for a database that does not exist.
 */
export async function requeueRows(ctx: CallerCtx, database: string, rows: readonly RowKey[]): Promise<number> {
  const { outbox, wake } = outboxOf(ctx, database);
  const ids = rows.map(({ id }) => id);
  await recordChange(ctx, "outbox.requeued", database, ids);
  const results = await outbox.listRows<WakeUp>(REQUEUE, JSON.stringify(rows), ctx.now());
  if (results.length > 0) await wake(results);
  return results.length;
}
