import type { CallerCtx } from "../../../access/caller.ts";
import { outboxOf } from "./outbox-of.ts";

export interface OutboxRow {
  due_at: number;
  id: string;
  kind: string;
  claims: number;
  is_claimed: number;
}

const LIST = `
  SELECT due_at, id, kind, claims, token IS NOT NULL AS is_claimed FROM outbox
   WHERE (due_at, id) > (?1, ?2) ORDER BY due_at, id LIMIT ?3`;

/**
 * Returns the rows of one outbox, soonest due first, after a due time in milliseconds since 1970 and an id. `database` is `main`
 * or the number of a mail database. Throws 404 for one that the deployment does not have.
 */
export async function listOutboxRows(
  ctx: CallerCtx,
  database: string,
  { after, limit }: { after: { dueAt: number; id: string }; limit: number },
): Promise<OutboxRow[]> {
  const list = outboxOf(ctx, database).outbox.prepare(LIST);
  return (await list.bind(after.dueAt, after.id, limit).all<OutboxRow>()).results;
}
