import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { MainStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { redeemStatements } from "./accept.ts";
import { requireInitiator, requireRecipient, requireSource } from "./access.ts";
import { requireTransition } from "./errors.ts";
import type { Performed } from "./object.ts";
import { addOutboxRows, wakeDue } from "./outbox-rows.ts";
import { getTransfer, type TransferRef, type TransferRow } from "./queries.ts";
import { statusAfter } from "./rules.ts";
import { toTransfer } from "./schema.ts";
import { deleteTransferKeysStatement } from "./transfer-keys.ts";

/** Declines a transfer to the caller, and notifies the source workspace. Throws 404, 403 for another account's, 409 unless pending. */
export async function declineTransfer(ctx: CallerCtx, ref: TransferRef): Promise<Performed> {
  const { transfer } = await getTransfer(ctx, ref);
  requireAllDomains(ctx);
  requireRecipient(ctx, transfer);
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

/** Cancels a transfer that the caller initiated, and mails that to the recipient. Throws 404 for any other, 409 unless pending. */
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

// `?4`: the time until which the call was allowed, so that an update after the deadline changes nothing.
const CLOSE = "UPDATE domain_transfers SET status = ?3 WHERE id = ?1 AND status = ?2 AND ?4 < ?5";

/**
 * Closes a transfer by a call that its status and time allow, with `statements` in the same transaction. Throws the refusal
 * of the call otherwise, also when another call was first.
 */
async function closeTransfer(
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
