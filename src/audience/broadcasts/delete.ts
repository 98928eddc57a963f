import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { purgeStatement } from "../../platform/outbox/purge-statement.ts";
import { outboxRowStatement } from "./change.ts";
import { type BroadcastRow, getBroadcast } from "./queries.ts";
import { findVariants } from "./variants/queries.ts";

const PARTS = ["variants", "counts", "clicks", "members", "skipped", "repeated", "pending", "parts"].map(
  (part) => `broadcast_${part}`,
);

/**
 * Deletes a broadcast with its variants and counts. Its emails stay; those that were not delivered yet are cancelled at
 * dispatch. Throws 404, and 409 while it is sending (docs/contract/broadcasts.md#broadcast-statuses).
 */
export async function deleteBroadcast(ctx: CallerCtx, id: string): Promise<void> {
  const broadcast = await getBroadcast(ctx, id);
  const { row } = broadcast;
  const db = ctx.mail;
  const sending = () => conflict("A broadcast that is sending must be cancelled before it is deleted");
  if (row.status === "sending") throw sending();
  const keys = await findUnusedKeys(ctx, row);
  try {
    await guardedBatch(db, [
      db.prepare("DELETE FROM broadcasts WHERE n = ?1 AND status <> 'sending'").bind(row.n),
      expectChanges(db, 1),
      // With emails, its run wakes another that cancels those which wait. Without, a purge takes its id.
      outboxRowStatement(ctx, row, row.fan_out === null || keys.length > 0 ? null : ctx.now()),
      ...(keys.length > 0 ? [purgeStatement(ctx, [{ id: row.id, purge: { keys } }])] : []),
      ...PARTS.map((table) => db.prepare(`DELETE FROM ${table} WHERE broadcast = ?1`).bind(row.n)),
    ]);
  } catch (error) {
    if (!(error instanceof ConcurrencyError)) throw error;
    // Throws 404 when the other call deleted it.
    await getBroadcast(ctx, id);
    throw sending();
  }
}

/**
 * Returns the contents in R2 that no email names: those of a broadcast that was sent and has no email. Retention deletes
 * the others with the last email. A broadcast that is not sending gets no more emails.
 */
async function findUnusedKeys(ctx: CallerCtx, row: BroadcastRow): Promise<string[]> {
  if (row.fan_out === null) return [];
  const sql = "SELECT 1 FROM broadcast_pages WHERE workspace = ?1 AND broadcast = ?2 LIMIT 1";
  if ((await ctx.mail.findRow(sql, row.workspace, row.n)) !== null) return [];
  const variants = await findVariants(ctx, row.n);
  return ["own", ...variants.map(({ id }) => id)].map((key) => r2Keys.broadcast(ctx.workspace.id, row.id, key));
}
