import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { requireRecipient } from "./access.ts";
import { closeTransfer } from "./close.ts";
import type { Performed } from "./object.ts";
import { getTransfer, type TransferRef } from "./queries.ts";

/**
 * Declines a pending transfer that was sent to the caller, and notifies the source workspace. Throws 404, 403 for another
 * account's transfer, 409 when it is no longer pending.
 */
export async function declineTransfer(ctx: CallerCtx, ref: TransferRef): Promise<Performed> {
  const { transfer } = await getTransfer(ctx, ref);
  requireAllDomains(ctx);
  requireRecipient(ctx, transfer, ref);
  const { id, domainName, targetEmail, sourceWorkspace } = transfer;
  const entry = { action: "transfer.declined" as const, target: id, detail: { name: domainName } };
  return closeTransfer(ctx, ref, {
    transfer,
    on: "decline",
    statements: [
      auditStatement({ ...ctx, workspace: { number: sourceWorkspace } }, entry),
      ...notifyOwnersStatements(ctx, sourceWorkspace, {
        category: "alerts",
        severity: "info",
        title: `The transfer of ${domainName} was declined`,
        body: `${targetEmail} has declined the transfer. The domain stays in this workspace.`,
        href: null,
      }),
    ],
  });
}
