import type { CallerCtx } from "../context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../db/batch.ts";
import { mailDb } from "../db/client.ts";
import { conflict } from "../errors.ts";
import { deleteTaskStatement } from "./change.ts";
import { getBroadcast } from "./queries.ts";

const PARTS = ["broadcast_variants", "broadcast_counts", "broadcast_clicks", "broadcast_skipped"];

/**
 * Deletes a broadcast with its variants and counts. Its emails stay; those that were not delivered yet are cancelled at
 * dispatch. Throws 404, and 409 while it is sending (decisions 6).
 */
export async function deleteBroadcast(ctx: CallerCtx, id: string): Promise<void> {
  const { row } = await getBroadcast(ctx, id);
  const db = mailDb(ctx);
  const sending = () => conflict("A broadcast that is sending must be cancelled before it is deleted");
  if (row.status === "sending") throw sending();
  try {
    await guardedBatch(db, [
      db.prepare("DELETE FROM broadcasts WHERE n = ?1 AND status <> 'sending'").bind(row.n),
      expectChanges(db, 1),
      deleteTaskStatement(ctx, row),
      ...PARTS.map((table) => db.prepare(`DELETE FROM ${table} WHERE broadcast = ?1`).bind(row.n)),
    ]);
  } catch (error) {
    if (!(error instanceof ConcurrencyError)) throw error;
    // Throws 404 when the other call deleted it.
    await getBroadcast(ctx, id);
    throw sending();
  }
}
