import type { CallerCtx } from "../../access/caller.ts";
import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { redeemStatements } from "./accept.ts";
import { requireSource } from "./access.ts";
import { closeTransfer } from "./close.ts";
import type { Performed } from "./object.ts";
import { getTransfer, type TransferRef } from "./queries.ts";
import { deleteTransferKeysStatement } from "./transfer-keys.ts";

/**
 * Stops an accepted transfer within its safety window, by the token of a mailed link; ownership does not move. Both workspaces
 * are notified. Throws 404 for an unknown or redeemed token and for a caller who does not manage the domains of the source
 * workspace, 409 outside the window.
 */
export async function stopTransfer(ctx: CallerCtx, ref: TransferRef): Promise<Performed> {
  const { transfer, tokenHash } = await getTransfer(ctx, ref);
  await requireSource(ctx, transfer);
  const { id, domainName, sourceWorkspace, targetWorkspace } = transfer;
  const entry = { action: "transfer.stopped" as const, target: id, detail: { name: domainName } };
  const notice = {
    category: "alerts" as const,
    severity: "info" as const,
    title: `The transfer of ${domainName} was stopped`,
    body: `${ctx.actor.email} has stopped the transfer. The domain stays in the workspace ${transfer.sourceLabel}.`,
    href: null,
  };
  const sides = [sourceWorkspace, ...(targetWorkspace === null ? [] : [targetWorkspace])];
  return closeTransfer(ctx, ref, {
    transfer,
    on: "stop",
    statements: [
      ...redeemStatements(ctx, tokenHash),
      deleteTransferKeysStatement(ctx, id),
      ...sides.flatMap((number) => [
        auditStatement({ ...ctx, workspace: { number } }, entry),
        ...notifyOwnersStatements(ctx, number, notice),
      ]),
    ],
  });
}
