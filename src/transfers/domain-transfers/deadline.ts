import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { Ctx } from "../../platform/context.ts";
import { expectChanges, guardedBatch, ignoreConcurrency } from "../../platform/db/batch.ts";
import { type AcceptedTransfer, BY_SERVICE, completeTransfer } from "./complete.ts";
import { findActiveTransfer, type TransferRow } from "./queries.ts";
import { deadlineOf } from "./rules.ts";

/** Time until the next look at a deadline while transfers are switched off, in ms. */
const SWITCHED_OFF_MS = 10 * 60_000;

/**
 * Does what is due for the transfer of a domain: a pending one expires, an accepted one completes. Returns when to look again,
 * in ms since 1970, or null when there is nothing to wait for. While DOMAIN_TRANSFERS is off nothing is done, since no owner
 * could stop it. Safe to repeat.
 */
export async function runDeadline(ctx: Ctx, domainId: string): Promise<number | null> {
  const transfer = await findActiveTransfer(ctx, domainId);
  const deadline = transfer && deadlineOf(transfer);
  if (!transfer || deadline === null) return null;
  if (deadline > ctx.now()) return deadline;
  if (!ctx.settings.domainTransfers) return ctx.now() + SWITCHED_OFF_MS;
  if (isAccepted(transfer)) await completeTransfer(ctx, transfer);
  else await expireTransfer(ctx, transfer);
  // Still active when a condition of its completion changed meanwhile: the alarm repeats this.
  const left = await findActiveTransfer(ctx, domainId);
  return left && deadlineOf(left);
}

/** Closes a pending transfer of a domain whose time has passed, if the alarm of its object has not done so yet. */
export async function expireOverdue(ctx: Ctx, domainId: string): Promise<void> {
  const transfer = await findActiveTransfer(ctx, domainId);
  if (transfer?.status === "pending" && transfer.expiresAt <= ctx.now()) await expireTransfer(ctx, transfer);
}

const isAccepted = (transfer: TransferRow): transfer is AcceptedTransfer =>
  transfer.status === "accepted" && transfer.targetWorkspace !== null;

const EXPIRE =
  "UPDATE domain_transfers SET status = 'expired' WHERE id = ?1 AND status = 'pending' AND expires_at <= ?2";

async function expireTransfer(ctx: Ctx, { id, domainName, sourceWorkspace, targetEmail }: TransferRow): Promise<void> {
  const { db } = ctx;
  const entry = { action: "transfer.expired", target: id, detail: { name: domainName } } as const;
  // Nothing happens when another call was first.
  await guardedBatch(db, [
    db.prepare(EXPIRE).bind(id, ctx.now()),
    expectChanges(db, 1),
    auditStatement({ ...ctx, ...BY_SERVICE, workspace: { number: sourceWorkspace } }, entry),
    ...notifyOwnersStatements(ctx, sourceWorkspace, {
      category: "alerts",
      severity: "info",
      title: `The transfer of ${domainName} has expired`,
      body: `${targetEmail} has not accepted it within seven days. The domain stays in this workspace.`,
      href: null,
    }),
  ]).catch(ignoreConcurrency);
}
