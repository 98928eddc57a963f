import type { CallerCtx, ListRange } from "../../../access/caller.ts";
import { notFound } from "../../../lib/errors.ts";
import type { WakeUp } from "../../../platform/context.ts";
import type { quarantine } from "../../../platform/db/schema/both.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";
import { outboxOf, recordChange } from "./outbox-of.ts";

/** An outbox row that was set aside. */
export type QuarantinedRow = StoredColumns<typeof quarantine, "id" | "kind" | "claims" | "error" | "set_aside_at">;

const LIST = "SELECT id, kind, claims, error, set_aside_at FROM quarantine WHERE id > ?1 ORDER BY id LIMIT ?2";

/** Returns the rows of one outbox that were set aside, in the order of their ids, after an id. Throws 404 for an unknown database. */
export async function listQuarantine(
  ctx: CallerCtx,
  database: string,
  { after = "", limit }: ListRange,
): Promise<QuarantinedRow[]> {
  return outboxOf(ctx, database).outbox.listRows(LIST, after, limit);
}

// One claim is counted: the next attempt may be a repeat, which the events of the email say.
const RETRY = `
  INSERT OR IGNORE INTO outbox (id, due_at, kind, ref, claims, broadcast, workspace)
  SELECT id, ?2, kind, ref, min(claims, 1), broadcast, workspace FROM quarantine WHERE id = ?1
  RETURNING due_at AS dueAt, id, kind`;
const REMOVE = "DELETE FROM quarantine WHERE id = ?1";

/** Makes a row that was set aside due now. It is set aside again when it fails again. Throws 404. */
export async function retryQuarantined(ctx: CallerCtx, database: string, id: string): Promise<void> {
  const { outbox, wake } = outboxOf(ctx, database);
  await recordChange(ctx, "quarantine.retried", database, [id]);
  const [row, removed] = await outbox.batch<WakeUp>([
    outbox.prepare(RETRY).bind(id, ctx.now()),
    outbox.prepare(REMOVE).bind(id),
  ]);
  if (removed?.meta.changes === 0) throw notFound("Quarantined row");
  await wake(row?.results ?? []);
}

const FAIL = `
  UPDATE emails SET status = 'failed', version = version + 1
   WHERE n IN (SELECT r.value FROM quarantine q CROSS JOIN json_each(iif(json_valid(q.ref), q.ref, '[]')) r
                WHERE q.id = ?1 AND q.kind IN ('deliver', 'bulk')
               UNION SELECT e.n FROM quarantine q CROSS JOIN emails e ON e.workspace = q.workspace AND e.id = q.id WHERE q.id = ?1)
     AND status IN ('queued', 'scheduled', 'sent')`;

/** Deletes a row that was set aside. Its email, which the id tells when the row is no JSON, has failed then. Throws 404. */
export async function dropQuarantined(ctx: CallerCtx, database: string, id: string): Promise<void> {
  const { outbox } = outboxOf(ctx, database);
  await recordChange(ctx, "quarantine.dropped", database, [id]);
  const remove = outbox.prepare(REMOVE).bind(id);
  const results = await outbox.batch(database === "main" ? [remove] : [outbox.prepare(FAIL).bind(id), remove]);
  if (results.at(-1)?.meta.changes === 0) throw notFound("Quarantined row");
}
