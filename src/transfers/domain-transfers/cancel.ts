import type { CallerCtx } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { requireInitiator } from "./access.ts";
import { closeTransfer } from "./close.ts";
import type { Performed } from "./object.ts";
import { addOutboxRows, wakeDue } from "./outbox-rows.ts";
import { getTransfer, type TransferRef } from "./queries.ts";

/**
 * Cancels a pending transfer that the caller initiated. The outbox mails that to the recipient. Throws 404 for any other one, 409
 * when it is no longer pending.
 */
export async function cancelTransfer(ctx: CallerCtx, ref: TransferRef): Promise<Performed> {
  const { transfer } = await getTransfer(ctx, ref);
  requireInitiator(ctx, transfer);
  const entry = { action: "transfer.cancelled" as const, target: transfer.id, detail: { name: transfer.domainName } };
  const { statement, wakeUps } = addOutboxRows(ctx, [{ dueAt: ctx.now(), ref: { withdrawn: transfer.id } }]);
  const statements = [auditStatement(ctx, entry), statement];
  const performed = await closeTransfer(ctx, ref, { transfer, on: "cancel", statements });
  await wakeDue(onMain(ctx), wakeUps);
  return performed;
}
