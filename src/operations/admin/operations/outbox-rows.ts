import type { CallerCtx } from "../../../access/caller.ts";
import type { outbox } from "../../../platform/db/schema/mail/index.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";
import { outboxOf } from "./outbox-of.ts";

export type OutboxRow = StoredColumns<typeof outbox, "due_at" | "id" | "kind" | "claims"> & { is_claimed: 0 | 1 };

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
  return outboxOf(ctx, database).outbox.listRows(LIST, after.dueAt, after.id, limit);
}
