import type { CallerCtx } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/index.ts";
import { requireInitiator } from "./access.ts";
import { closeTransfer } from "./close.ts";
import type { Performed } from "./object.ts";
import { getTransfer, type TransferRef } from "./queries.ts";

/** Cancels a pending transfer that the caller initiated. Throws 404 for any other one, 409 when it is no longer pending. */
export async function cancelTransfer(ctx: CallerCtx, ref: TransferRef): Promise<Performed> {
  const { transfer } = await getTransfer(ctx, ref);
  requireInitiator(ctx, transfer);
  const entry = { action: "transfer.cancelled" as const, target: transfer.id, detail: { name: transfer.domainName } };
  return closeTransfer(ctx, ref, { transfer, on: "cancel", statements: [auditStatement(ctx, entry)] });
}
