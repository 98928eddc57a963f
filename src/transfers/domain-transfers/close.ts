import type { CallerCtx } from "../../access/caller.ts";
import type { MainStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { requireTransition } from "./errors.ts";
import type { Performed } from "./object.ts";
import { getTransfer, type TransferRef, type TransferRow } from "./queries.ts";
import { statusAfter } from "./rules.ts";
import { toTransfer } from "./schema.ts";

// `?4`: the time until which the call was allowed, so that an update after the deadline changes nothing.
const CLOSE = "UPDATE domain_transfers SET status = ?3 WHERE id = ?1 AND status = ?2 AND ?4 < ?5";

/**
 * Closes a transfer by a call that its status and time allow, with `statements` in the same transaction. Throws the refusal
 * of the call otherwise, also when another call was first.
 */
export async function closeTransfer(
  ctx: CallerCtx,
  ref: TransferRef,
  {
    transfer,
    on,
    statements,
  }: { transfer: TransferRow; on: "decline" | "cancel" | "stop"; statements: MainStatement[] },
): Promise<Performed> {
  const now = ctx.now();
  requireTransition(transfer, on, now);
  const status = statusAfter(transfer, on, now) ?? transfer.status;
  const end = on === "stop" ? transfer.cooloffUntil : transfer.expiresAt;
  try {
    await guardedBatch(ctx.db, [
      ctx.db.prepare(CLOSE).bind(transfer.id, transfer.status, status, now, end),
      expectChanges(ctx.db, 1),
      ...statements,
    ]);
  } catch (error) {
    if (error instanceof ConcurrencyError) requireTransition((await getTransfer(ctx, ref)).transfer, on, now);
    throw error;
  }
  const closed = { ...transfer, status };
  return { response: toTransfer(closed, now), transfer: closed };
}
